// Reads a configuration of PM2 (ecosystem.config.js) as it is: each app becomes one of ours, and what has no effect here is named, with the reason.
// docs/from-pm2.md has the same as a table.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, extname, resolve } from 'node:path'
import { wholeCpus } from '../contract/scaling-options.js'
import type { AppConfig } from './config.js'
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

/** Whether it is one: its apps have a script. */
export function isOfPm2(config: unknown): boolean {
  return appsOf(config).some((app) => typeof app === 'object' && app !== null && 'script' in app)
}

/** Paths are from `folder`, as PM2 takes them from the folder in which it is called. */
export function fromPm2(config: unknown, folder: string): FromPm2 {
  const notes: string[] = []
  const apps = appsOf(config).map((app) => translate(app as Pm2App, folder, (text) => notes.push(text)))
  const others = isRecord(config) ? Object.keys(config).filter((key) => key !== 'apps' && !('script' in config)) : [] // prettier-ignore
  for (const key of others) notes.push(`${key}: ${key === 'deploy' ? 'copying releases to hosts is not part of running them' : 'unknown'}`) // prettier-ignore
  return { apps, notes }
}

function appsOf(config: unknown): unknown[] {
  if (Array.isArray(config)) return config as unknown[]
  if (!isRecord(config)) return []
  if (Array.isArray(config.apps)) return config.apps as unknown[]
  return isRecord(config.apps) ? [config.apps] : 'script' in config ? [config] : []
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
  max_restarts: (value: number) => ({ maxRestarts: value > 0 ? value : 1 }),
  stop_exit_codes: (value: number | number[]) => ({ stopExitCodes: [value].flat() }),
  autorestart: (value: unknown) => (isOff(value) ? { restart: 'never' } : {}),
  kill_timeout: (value: string | number) => ({ grace: msOf(value) }),
  wait_ready: (value: unknown) => (isOff(value) ? {} : { waitReady: true }),
  shutdown_with_message: (value: unknown) => (isOff(value) ? {} : { stopSignal: 'message' }),
  instance_var: same('instanceVariable'),
  watch: (value: unknown) => (isOff(value) ? {} : { watch: true }),
  cron_restart: (value: unknown) => (isOff(value) || String(value) === '0' ? {} : { cron: withoutSeconds(String(value)) }), // prettier-ignore
}

/** The one log, by the names that PM2 has for it: that of all lines is nearest, then that of the standard output. */
const LOGS = ['log_file', 'log', 'out_file', 'output', 'out_log']
/** Read together with others, by what(), logOf() and below. */
const TOGETHER = [...LOGS, ...'name script args interpreter exec_interpreter interpreter_args interpreterArgs node_args exec_mode instances cwd env port listen_timeout source_map_support'.split(' ')] // prettier-ignore

/** Why an option has no effect. */
const IGNORED: Readonly<Record<string, string>> = {
  error_file: 'both outputs are in one log, those of errors marked "err"',
  error: 'both outputs are in one log, those of errors marked "err"',
  err_file: 'both outputs are in one log, those of errors marked "err"',
  err_log: 'both outputs are in one log, those of errors marked "err"',
  disable_logs: 'the log is rotated, and takes no more than log_size times log_files',
  pid_file: '"threadwise status --json" has the processes',
  pid: '"threadwise status --json" has the processes',
  env_file: 'PM2 passes over it too; node_args: "--env-file=FILE" reads one',
  autostart: 'all are started; --only starts one',
  kill_retry_time: 'after kill_timeout all that is left is killed at once',
  windowsHide: 'the commands do not run on Windows',
  merge_logs: 'all instances are in one log anyway',
  combine_logs: 'all instances are in one log anyway',
  log_date_format: 'each line has the time in the form of ISO 8601',
  time: 'each line has its time anyway',
  log_type: 'lines have the time and the instance before them; "threadwise logs --raw" leaves both out',
  exp_backoff_restart_delay: 'restarts wait longer and longer anyway, unless restart_delay is given',
  ignore_watch: 'watched are source files, without node_modules and hidden folders',
  watch_options: 'watched are source files, without node_modules and hidden folders',
  watch_delay: 'changes within 100 ms are one',
  uid: 'systemd runs it as another user (User=), see --systemd',
  gid: 'systemd runs it as another group (Group=), see --systemd',
  user: 'systemd runs it as another user (User=), see --systemd',
  treekill: 'nothing that an app starts outlives it',
  force: 'a name is for one service',
  namespace: 'name the services, or "all"',
  vizion: 'the version of the code is not looked up',
  automation: 'there is no agent',
  pmx: 'there is no agent',
  trace: 'there is no agent',
  deep_monitoring: 'there is no agent',
  disable_trace: 'there is no agent',
  increment_var: 'use the place of an instance, NODE_APP_INSTANCE',
  append_env_to_name: 'give each its name',
  filter_env: 'use env with undefined for what is not to be inherited',
  post_update: 'nothing is pulled',
  disable_source_map_support: 'source maps are off unless source_map_support is true',
  description: 'it has no effect',
  version: 'it has no effect',
}

function translate(app: Pm2App, folder: string, note: (text: string) => void): AppConfig {
  const name = typeof app.name === 'string' ? app.name.replace(/[^\w.-]+/g, '-').replace(/^[^A-Za-z0-9_]+/, '').slice(0, 40) : undefined // prettier-ignore
  const label = name ?? String(app.script)
  if (name !== app.name) note(`${label}: its name was ${JSON.stringify(app.name)}`)
  const say = (text: string) => note(`${label}: ${text}`)
  const result: AppConfig = { ...(name && { name }), stopSignal: 'SIGINT', ...what(app, folder, say), ...logOf(app, folder, say) } // prettier-ignore
  const profiles: [string, AppConfig['env']][] = []
  for (const [option, value] of Object.entries(app)) {
    if (value === undefined || value === null || TOGETHER.includes(option)) continue
    const meaning = MEANINGS[option]
    if (Object.hasOwn(MEANINGS, option)) Object.assign(result, meaning!(value as never, app))
    else if (option.startsWith('env_') && isRecord(value)) profiles.push([option.slice(4), variables(value)])
    else say(`${option} is ignored: ${Object.hasOwn(IGNORED, option) ? IGNORED[option] : 'it is not known'}`)
  }
  leaveOut(result, say)
  const { env, port } = app
  const all = { ...(isRecord(env) && variables(env)), ...(port !== undefined && { PORT: Number(port) }) }
  return { ...result, env: all, ...(profiles.length > 0 && { envProfiles: Object.fromEntries(profiles) }) }
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
  if (app.stopSignal === 'message') note('shutdown_with_message is ignored: what is not run by Node itself gets no message') // prettier-ignore
  if (app.watch && app.command) note('watch is ignored: which files belong to a command is not known')
  if (Number(app.instances) > 1 || app.instances === 'max') note('instances share no port: only the file of a server for Node does') // prettier-ignore
  delete app.waitReady
  if (app.stopSignal === 'message') app.stopSignal = 'SIGINT'
  if (app.command) delete app.watch
}

/** What runs, in how many instances. PM2 shares a port (cluster) where a number of instances is given, or it is told to. */
function what(app: Pm2App, folder: string, note: (text: string) => void): Partial<AppConfig> {
  const cwd = folderOf(app, folder)
  const script = String(app.script)
  const args = wordsOf(app.args)
  const nodeArgs = [...wordsOf(app.node_args ?? app.interpreter_args ?? app.interpreterArgs), ...(app.source_map_support === true ? ['--enable-source-maps'] : [])] // prettier-ignore
  const path = resolve(cwd, script)
  const place = { cwd, ...(args.length > 0 && { args }) }
  const count = instancesOf(app.instances)
  if (!existsSync(path) && !isPath(script)) {
    const isLine = script.includes(' ')
    if (nodeArgs.length > 0) note('node_args are ignored: a command has arguments of its own')
    return { cwd, command: isLine ? ['sh', '-c', [script, ...args].join(' ')] : [script, ...args], instances: count ?? 1 } // prettier-ignore
  }
  const interpreter = interpreterOf(app, path)
  if (interpreter === 'none') return { cwd, command: [path, ...args], instances: count ?? 1 }
  const own = { ...place, file: path, ...(nodeArgs.length > 0 && { execArgv: nodeArgs }) }
  const isNode = basename(interpreter) === 'node'
  const isCluster = isNode && (app.exec_mode === undefined ? count !== undefined : /^cluster/.test(String(app.exec_mode))) // prettier-ignore
  if (interpreter !== 'node' && isCluster)
    note('interpreter is ignored: instances that share a port run with the Node of threadwise') // prettier-ignore
  else if (interpreter !== 'node') return { ...own, interpreter, instances: count ?? 1 }
  if (isCluster) {
    const listenTimeout = app.listen_timeout === undefined ? LISTEN_TIMEOUT_MS : msOf(app.listen_timeout) // prettier-ignore
    return { ...own, instances: count ?? 1, ...(app.wait_ready !== true && { listenTimeout }) }
  }
  note('exec_mode is fork: a reload restarts it, with a gap; "cluster" has none')
  return { ...own, portless: true, instances: count ?? 1 }
}

/** A file that is not there, such as one that is to be built first, is no command: the error names it. */
function isPath(script: string): boolean {
  return !script.includes(' ') && (/[\\/]/.test(script) || /\.[cm]?[jt]sx?$/.test(script) || Object.hasOwn(INTERPRETERS, extname(script))) // prettier-ignore
}

/** By the ending of the file, as PM2 does. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ...{ '.sh': 'bash', '.py': 'python3', '.rb': 'ruby', '.php': 'php', '.pl': 'perl' },
}

function interpreterOf(app: Pm2App, path: string): string {
  const given = app.interpreter ?? app.exec_interpreter
  if (typeof given === 'string' && given !== '') return given
  return INTERPRETERS[extname(path)] ?? 'node'
}

/** Undefined: PM2 runs one. 0 and "max" are one for each CPU, negative ones so many less. */
function instancesOf(instances: unknown): AppConfig['instances'] {
  if (instances === undefined || instances === null) return undefined
  const count = Number(instances)
  if (instances === 'max' || count === 0) return 'max'
  return count < 0 ? Math.max(1, wholeCpus() + count) : count
}

function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map(String)
  return typeof value === 'string' ? splitWords(value) : []
}

/** 1500, "1500", "1.5s", "2m", "1h". */
function msOf(value: unknown): number {
  const [, count = '', unit = ''] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|m|h)?\s*$/.exec(String(value)) ?? []
  return count === '' ? NaN : Number(count) * { '': 1, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit]!
}

/** PM2 takes a sixth field before the minutes. */
function withoutSeconds(cron: string): string {
  const fields = cron.trim().split(/\s+/)
  return (fields.length === 6 ? fields.slice(1) : fields).join(' ')
}

function isOff(value: unknown): boolean {
  return value === false || value === 'false'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
