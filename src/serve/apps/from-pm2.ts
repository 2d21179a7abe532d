// Reads a configuration of PM2 (ecosystem.config.js) as it is: each app becomes one of ours, and what has no effect here is named, with the reason.
// docs/from-pm2.md has the same as a table.

import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, delimiter, extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { types } from 'node:util'
import { checkOption } from '../../errors/check-options.js'
import { show } from '../../errors/shown-values.js'
import { sizeInBytes } from '../contract/resolve-options.js'
import { defaultInstances } from '../contract/scaling-options.js'
import type { AppConfig } from './config.js'
import { nodeOfNvm } from './node-of-nvm.js'
import { EXPRESSION } from './paths-like.js'
import { splitWords } from './split-words.js'

/** An app as somebody has written it for PM2: of any form. */
type Pm2App = Readonly<Record<string, unknown>>

export interface FromPm2 {
  readonly apps: AppConfig[]
  /** A sentence for each option that has no effect, or another one. */
  readonly notes: string[]
}

/** Milliseconds that PM2 waits for an app to listen, before it counts as one that does not. */
const LISTEN_TIMEOUT_MS = 3000
/** The default of ours. */
const READY_TIMEOUT_MS = 30_000

/** Whether it is one: its apps have a script. */
export function isOfPm2(config: unknown): boolean {
  return appsOf(config).some((app) => isRecord(app) && SCRIPTS.some((name) => name in app))
}

/** Why it cannot be taken, in the words of PM2; undefined when it can. */
export function faultOfPm2(config: unknown): string | undefined {
  for (const [index, app] of appsOf(config).entries()) {
    const fault = faultOfApp(isRecord(app) ? byUsualNames(app) : {})
    if (fault !== undefined) return `apps[${index}]${fault}`
  }
  return undefined
}

const FORMS: readonly (readonly [string, (value: unknown) => boolean, readonly string[]])[] = [
  [
    'a time, such as 1500, "5s" or "2m"',
    (value) => !Number.isNaN(msOf(value)),
    ['kill_timeout', 'listen_timeout', 'min_uptime', 'restart_delay'],
  ],
  ['a number', (value) => !Number.isNaN(Number(value)), ['max_restarts', 'port']],
  ['numbers', (value) => [value].flat().every((each) => !Number.isNaN(Number(each))), ['stop_exit_codes']],
  ['a size, such as "300M" or "1.5G"', (value) => !Number.isNaN(sizeInBytes(value)), ['max_memory_restart']],
]

/** Told with the option that stands there: what it becomes has another name, and is no number by then. */
function faultOfApp(app: Pm2App): string | undefined {
  if (typeof app.script !== 'string' || app.script === '') return ' has no script (a path, or a command)'
  for (const [expected, holds, options] of FORMS)
    for (const option of options)
      if (app[option] !== undefined && !holds(app[option]))
        return `: ${option} must be ${expected}, got ${show([app[option]].flat().find((each) => !holds(each)))}`
  return undefined
}

/** Paths are from `folder`, as PM2 takes them from the folder in which it is called. */
export function fromPm2(config: unknown, folder: string): FromPm2 {
  const notes: string[] = []
  const note = (text: string) => notes.push(text)
  const given = appsOf(config).map((app) => byUsualNames(app as Pm2App))
  const names = namesFor(given, note)
  const apps = given.map((app, index) => translate({ ...app, name: names[index] }, folder, note))
  const others =
    isRecord(config) && 'apps' in config ? Object.keys(config).filter((key) => key !== 'apps') : []
  for (const key of others)
    notes.push(
      `${key}: ${key === 'deploy' ? 'copying releases to hosts is not part of running them' : 'unknown'}`,
    )
  return { apps, notes }
}

function appsOf(config: unknown): unknown[] {
  if (Array.isArray(config)) return config as unknown[]
  if (!isRecord(config)) return []
  if (Array.isArray(config.apps)) return config.apps as unknown[]
  return [isRecord(config.apps) ? config.apps : config]
}

/** The names of one option; with `command` alone it may be a configuration of ours. */
const SCRIPTS = ['script', 'exec', 'cmd']
const OTHER_NAMES: Readonly<Record<string, string>> = {
  exec: 'script',
  cmd: 'script',
  command: 'script',
  interpreter: 'exec_interpreter',
  user: 'uid',
  interpreter_args: 'node_args',
  out: 'out_file',
  output: 'out_file',
  out_log: 'out_file',
  error: 'error_file',
  err: 'error_file',
  err_file: 'error_file',
  err_log: 'error_file',
  log: 'log_file',
  pid: 'pid_file',
  cron: 'cron_restart',
  combine_logs: 'merge_logs',
}

/** PM2 takes each option in camelCase too, and some by other names. */
function usualName(name: string): string {
  const snake = name.startsWith('env') ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return OTHER_NAMES[snake] ?? snake
}

/** The usual name is preferred, as there. What is ignored keeps its own, by which it is told. */
function byUsualNames(app: Pm2App): Pm2App {
  const given = Object.entries(app).filter(([, value]) => value !== undefined && value !== null)
  const entries = given.map(([name, value]) => {
    const usual = usualName(name)
    const hasEffect = TOGETHER.includes(usual) || Object.hasOwn(MEANINGS, usual)
    return { name, usual: hasEffect ? usual : name, value }
  })
  const usualLast = entries.sort((a, b) => Number(a.usual === a.name) - Number(b.usual === b.name))
  return Object.fromEntries(usualLast.map(({ usual, value }) => [usual, value]))
}

/** Each app has a name of its own here; several of PM2 may share one. */
function namesFor(apps: readonly Pm2App[], note: (text: string) => void): string[] {
  const taken = new Set(['all'])
  return apps.map((app) => {
    const script = String(app.script)
    const given = app.name === undefined ? undefined : String(app.name)
    const wanted = [given ?? '', basename(script, extname(script)), 'app']
      .map(nameLike)
      .find((name) => name !== '')!
    let name = wanted
    for (let number = 2; taken.has(name); number++) name = `${wanted.slice(0, 36)}-${number}`
    taken.add(name)
    if (name !== (given ?? wanted)) note(`${name}: its name was ${JSON.stringify(given ?? wanted)}`)
    return name
  })
}

function nameLike(text: string): string {
  return text
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[^A-Za-z0-9_]+/, '')
    .slice(0, 40)
}

type Entry = (value: never, app: Pm2App) => Partial<AppConfig>
const same =
  (name: keyof AppConfig): Entry =>
  (value) => ({ [name]: value })

/** Options that mean the same here, by their names in PM2; those that belong together are read by what(). */
const MEANINGS: Readonly<Record<string, Entry>> = {
  max_memory_restart: same('maxMemory'),
  min_uptime: (value: string | number) => ({ minUptime: Math.max(1, msOf(value)) }),
  restart_delay: (value: string | number) => ({ restartDelay: msOf(value) }),
  max_restarts: (value: unknown) => ({
    maxRestarts: Number(value) === Infinity ? 'none' : Number(value) < 1 ? 1 : Number(value),
  }),
  stop_exit_codes: (value: unknown) => ({ stopExitCodes: [value].flat().map(Number) }),
  autorestart: (value: unknown) => (isOff(value) ? { restart: 'never' } : {}),
  kill_timeout: (value: string | number) => (Number(value) === 0 ? {} : { grace: msOf(value) }),
  wait_ready: (value: unknown) => (isOff(value) ? {} : { waitReady: true }),
  shutdown_with_message: (value: unknown) => (isOff(value) ? {} : { stopSignal: 'message' }),
  instance_var: same('instanceVariable'),
  increment_var: same('incrementVariable'),
  ignore_watch: (value: unknown) => ({
    ignoreWatch: [value]
      .flat()
      .map((each) => (types.isRegExp(each) ? EXPRESSION + each.source : String(each))),
  }),
  watch: (value: unknown) =>
    isOff(value)
      ? {}
      : { watch: isList(value) ? value : typeof value === 'string' && value !== 'true' ? [value] : true },
  cron_restart: (value: unknown) =>
    isOff(value) || String(value) === '0' ? {} : { cron: fiveFields(String(value)) },
}

/** The one log, by the names that PM2 has for it: that of all lines is nearest, then that of the standard output. */
const LOGS = ['log_file', 'out_file']
/** Read together with others, by what(), logOf() and below. */
const TOGETHER = [
  ...LOGS,
  ...'name script args exec_interpreter node_args exec_mode instances cwd env port listen_timeout source_map_support'.split(
    ' ',
  ),
]

/** Why an option has no effect. */
const IGNORED: Readonly<Record<string, string>> = {
  error_file: 'both outputs are in one log, those of errors marked "err"',
  disable_logs: 'the log is rotated, and takes no more than log_size times log_files',
  pid_file: '"threadwise status --json" has the processes',
  env_file: 'PM2 passes over it too; node_args: "--env-file=FILE" reads one',
  autostart: 'all are started; --only starts one',
  kill_retry_time: 'after kill_timeout all that is left is killed at once',
  windows_hide: 'no instance opens a window',
  merge_logs: 'all instances are in one log anyway',
  log_date_format: 'each line has the time in the form of ISO 8601',
  time: 'each line has its time anyway',
  log_type: 'lines have the time and the instance before them; "threadwise logs --raw" leaves both out',
  exp_backoff_restart_delay: 'restarts wait longer and longer anyway, unless restart_delay is given',
  watch_options: 'node_modules and hidden folders are never watched',
  watch_delay: 'changes within 100 ms are one',
  uid: 'systemd runs it as another user (User=), see --systemd',
  gid: 'systemd runs it as another group (Group=), see --systemd',
  treekill: 'nothing that an app starts outlives it',
  force: 'a name is for one service',
  namespace: 'name the services, or "all"',
  vizion: 'the version of the code is not looked up',
  automation: 'there is no agent',
  pmx: 'there is no agent',
  trace: 'there is no agent',
  deep_monitoring: 'there is no agent',
  disable_trace: 'there is no agent',
  append_env_to_name: 'give each its name',
  filter_env: 'use env with undefined for what is not to be inherited',
  post_update: 'nothing is pulled',
  disable_source_map_support: 'source maps are off unless source_map_support is true',
  deploy: 'copying releases to hosts is not part of running them',
  description: 'it has no effect',
  version: 'it has no effect',
}

function translate(app: Pm2App, folder: string, note: (text: string) => void): AppConfig {
  const name = String(app.name)
  const say = (text: string) => note(`${name}: ${text}`)
  const result: AppConfig = {
    name,
    stopSignal: 'SIGINT',
    instanceVariable: 'NODE_APP_INSTANCE',
    ...readyWithin(app),
    ...what(app, folder, say),
    ...logOf(app, folder, say),
  }
  const profiles: [string, AppConfig['env']][] = []
  for (const [option, value] of Object.entries(app)) {
    if (TOGETHER.includes(option)) continue
    const meaning = MEANINGS[option]
    if (Object.hasOwn(MEANINGS, option)) Object.assign(result, meaning!(value as never, app))
    else if (option.startsWith('env_') && isRecord(value)) profiles.push([option.slice(4), variables(value)])
    else
      say(
        `${option} is ignored: ${Object.hasOwn(IGNORED, usualName(option)) ? IGNORED[usualName(option)] : 'it is not known'}`,
      )
  }
  sayWhatDiffers(app, say)
  leaveOut(result, say)
  const { env, port } = app
  const all = { ...(isRecord(env) && variables(env)), ...(port !== undefined && { PORT: Number(port) }) }
  return { ...result, env: all, ...(profiles.length > 0 && { envProfiles: Object.fromEntries(profiles) }) }
}

/** Options that have an effect, and not quite the same. */
function sayWhatDiffers({ env, cron_restart, instances }: Pm2App, say: (text: string) => void): void {
  if (env !== undefined && !isRecord(env)) say('env is ignored: it is no object of variables')
  const [seconds = ''] = /^\S+(?=(?:\s+\S+){5}$)/.exec(String(cron_restart ?? '').trim()) ?? []
  if (!['', '0'].includes(seconds)) say(`cron_restart: its seconds (${seconds}) are passed over`)
  if (typeof instances === 'string' && instances !== 'max' && !/^-?\d+$/.test(instances))
    say(`instances: ${JSON.stringify(instances)} is max, as in PM2`)
}

/** PM2 passes objects on as JSON. */
function variables(given: Readonly<Record<string, unknown>>): NonNullable<AppConfig['env']> {
  const texts = Object.entries(given).map(([name, value]) => {
    return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : (value ?? undefined)]
  })
  return Object.fromEntries(texts) as NonNullable<AppConfig['env']>
}

/** Where its lines go: paths are from its folder. */
function logOf(app: Pm2App, folder: string, note: (text: string) => void): Partial<AppConfig> {
  const given = LOGS.filter((option) => typeof app[option] === 'string' && app[option] !== '')
  const [first, ...others] = given
  for (const option of others) note(`${option} is ignored: both outputs are in one log, that of ${first}`)
  if (first === undefined) return {}
  const path = String(app[first])
  if (['/dev/null', 'NULL'].includes(path)) {
    note(`${first} is ignored: the log is rotated, and takes no more than log_size times log_files`)
    return {}
  }
  return { logFile: resolve(folderOf(app, folder), fromHome(path)) }
}

function folderOf({ cwd }: Pm2App, folder: string): string {
  return typeof cwd === 'string' ? resolve(folder, fromHome(cwd)) : folder
}

function fromHome(path: string): string {
  return path.replace(/^~(?=\/|$)/, homedir())
}

/** What PM2 takes for anything that it runs, and that needs Node: without it the app runs all the same. */
function leaveOut(app: AppConfig, note: (text: string) => void): void {
  if (app.command === undefined && app.interpreter === undefined) return
  if (app.waitReady) note('wait_ready is ignored: what is not run by Node itself sends no message')
  if (app.stopSignal === 'message')
    note('shutdown_with_message is ignored: what is not run by Node itself gets no message')
  if (app.watch && app.command) note('watch is ignored: which files belong to a command is not known')
  if (Number(app.instances) > 1 || app.instances === 'max')
    note('instances share no port: only the file of a server for Node does')
  delete app.waitReady
  if (app.stopSignal === 'message') app.stopSignal = 'SIGINT'
  if (app.command) delete app.watch
}

/** What runs, in how many instances. PM2 shares a port (cluster) where a number of instances is given, or it is told to. */
function what(app: Pm2App, folder: string, note: (text: string) => void): Partial<AppConfig> {
  const cwd = folderOf(app, folder)
  const script = String(app.script)
  const args = wordsOf(app.args)
  const nodeArgs = [
    ...wordsOf(app.node_args),
    ...(app.source_map_support === true ? ['--enable-source-maps'] : []),
  ]
  const path = resolve(cwd, script)
  const place = { cwd, ...(args.length > 0 && { args }) }
  const count = instancesOf(app.instances)
  if (script === 'serve' && !existsSync(path))
    return { ...place, ...fileServer(app, cwd), instances: count ?? 1 }
  if (!existsSync(path) && !isPath(script)) {
    if (nodeArgs.length > 0) note('node_args are ignored: a command has arguments of its own')
    return {
      cwd,
      command: script.includes(' ') ? shellLine(script, args) : [script, ...args],
      instances: count ?? 1,
    }
  }
  const interpreter = interpreterOf(app, path)
  if (interpreter === 'none' || (interpreter === 'node' && isBinary(path)))
    return { cwd, command: [path, ...args], instances: count ?? 1 }
  const own = { ...place, file: path, ...(nodeArgs.length > 0 && { execArgv: nodeArgs }) }
  const isNode = /^node(@|$)/.test(basename(interpreter))
  const isCluster =
    isNode && (app.exec_mode === undefined ? count !== undefined : /^cluster/.test(String(app.exec_mode)))
  if (interpreter !== 'node' && isCluster)
    note('interpreter is ignored: instances that share a port run with the Node of threadwise')
  else if (interpreter !== 'node')
    return { ...own, interpreter: nodeOfNvm(interpreter), instances: count ?? 1 }
  if (isCluster) {
    return { ...own, instances: count ?? 1, listenTimeout: listenTimeoutOf(app) }
  }
  note('exec_mode is fork: a reload restarts it, with a gap; "cluster" has none')
  return { ...own, portless: true, instances: count ?? 1 }
}

function listenTimeoutOf({ listen_timeout: given }: Pm2App): number {
  return Number(given ?? 0) === 0 ? LISTEN_TIMEOUT_MS : msOf(given)
}

/** PM2 waits no longer than that for an app to be ready, and then counts it as such; with us it must not be cut off before. */
function readyWithin(app: Pm2App): Partial<AppConfig> {
  const listenTimeout = listenTimeoutOf(app)
  const isLong = listenTimeout >= READY_TIMEOUT_MS
  return {
    ...(!isOff(app.wait_ready) && { listenTimeout }),
    ...(isLong && { readyTimeout: listenTimeout + READY_TIMEOUT_MS }),
  }
}

/** PM2 has a server of files by that name; another program of that name would show whatever it likes. */
function fileServer(app: Pm2App, cwd: string): Pick<AppConfig, 'file'> {
  const env = isRecord(app.env) ? app.env : {}
  const shown = typeof env.PM2_SERVE_PATH === 'string' ? resolve(cwd, env.PM2_SERVE_PATH) : cwd
  const expected =
    'a folder below the one of the app, such as ./dist: all files of it are shown. For the package "serve" write script: "npx", args: "serve ..."'
  checkOption(shown !== cwd, `env.PM2_SERVE_PATH of ${String(app.name)}`, expected, env.PM2_SERVE_PATH)
  return { file: fileURLToPath(new URL('../../cli/serving/static-server.js', import.meta.url)) }
}

/** In bash where it is there, as PM2 does: such lines have words that a plain shell does not know, such as `source`. */
function shellLine(script: string, args: readonly string[]): string[] {
  const shell = (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, 'bash')))
    ? 'bash'
    : 'sh'
  return args.length === 0 ? [shell, '-c', script] : [shell, '-c', `${script} "$@"`, shell, ...args]
}

/** A program that was compiled: no text has the byte 0. */
function isBinary(path: string): boolean {
  if (extname(path) !== '' || !existsSync(path)) return false
  const start = Buffer.alloc(512)
  const file = openSync(path, 'r')
  try {
    return start.subarray(0, readSync(file, start)).includes(0)
  } catch {
    return false // a folder
  } finally {
    closeSync(file)
  }
}

/** A file that is not there, such as one that is to be built first, is no command: the error names it. */
function isPath(script: string): boolean {
  return (
    !script.includes(' ') &&
    (/[\\/]/.test(script) || /\.[cm]?[jt]sx?$/.test(script) || Object.hasOwn(INTERPRETERS, extname(script)))
  )
}

/** By the ending of the file, as PM2 does. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  '.sh': 'bash',
  '.py': 'python3',
  '.rb': 'ruby',
  '.php': 'php',
  '.pl': 'perl',
}

function interpreterOf(app: Pm2App, path: string): string {
  const given = app.exec_interpreter
  if (typeof given === 'string' && given !== '') return given
  return INTERPRETERS[extname(path)] ?? 'node'
}

/** Undefined: PM2 runs one. 0 and "max" are one for each CPU, negative ones so many less. */
function instancesOf(instances: unknown): AppConfig['instances'] {
  if (instances === undefined || instances === null) return undefined
  const count = typeof instances === 'string' ? parseInt(instances) || 0 : Number(instances) // "auto" is 0 there
  if (count === 0) return 'max'
  return count < 0 ? Math.max(1, defaultInstances() + count) : count
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? splitWords(value) : []
}

/** 1500, "1500", "1.5s", "2m", "1h". */
function msOf(value: unknown): number {
  if (value === '' || value === false) return 0
  const [, count = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(String(value)) ?? []
  return count === '' ? NaN : Number(count) * { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit]!
}

/** Of the library of PM2, which takes more. */
const CRON_NAMES: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
}

/** PM2 takes a sixth field before the minutes, and names. */
function fiveFields(cron: string): string {
  const text = cron.trim()
  const fields = text.split(/\s+/)
  return CRON_NAMES[text.toLowerCase()] ?? (fields.length === 6 ? fields.slice(1) : fields).join(' ')
}

function isList(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0
}

function isOff(value: unknown): boolean {
  return !value || value === 'false'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
