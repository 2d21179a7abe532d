// Reads a configuration of PM2 (ecosystem.config.js) as it is: each app becomes one of ours, and what has no effect here is named, with the reason.
// docs/from-pm2.md has the same as a table.

import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
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
  cron_restart: (value: unknown) => (isOff(value) || String(value) === '0' ? {} : { cron: String(value) }),
  out_file: same('logFile'),
  output: same('logFile'),
  log_file: same('logFile'),
  log: same('logFile'),
}

/** Read together with others, by what() and below. */
const TOGETHER = 'name script args interpreter exec_interpreter interpreter_args node_args exec_mode instances cwd env port listen_timeout source_map_support'.split(' ') // prettier-ignore

/** Why an option has no effect. */
const IGNORED: Readonly<Record<string, string>> = {
  error_file: 'both outputs are in one log, those of errors marked "err"',
  error: 'both outputs are in one log, those of errors marked "err"',
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
  const result: AppConfig = { ...(name && { name }), stopSignal: 'SIGINT', ...what(app, folder, (text) => note(`${label}: ${text}`)) } // prettier-ignore
  const profiles: [string, AppConfig['env']][] = []
  for (const [option, value] of Object.entries(app)) {
    if (value === undefined || value === null || TOGETHER.includes(option)) continue
    const meaning = MEANINGS[option]
    if (Object.hasOwn(MEANINGS, option)) Object.assign(result, meaning!(value as never, app))
    else if (option.startsWith('env_')) profiles.push([option.slice(4), value as AppConfig['env']])
    else note(`${label}: ${option} is ignored: ${Object.hasOwn(IGNORED, option) ? IGNORED[option] : 'it is not known'}`) // prettier-ignore
  }
  const { env = {}, port } = app as { env?: AppConfig['env']; port?: number }
  const all = { ...(port !== undefined && { PORT: port }), ...env }
  return { ...result, env: all, ...(profiles.length > 0 && { envProfiles: Object.fromEntries(profiles) }) }
}

/** What runs, in how many instances. PM2 shares a port (cluster) where a number of instances is given, or it is told to. */
function what(app: Pm2App, folder: string, note: (text: string) => void): Partial<AppConfig> {
  const cwd = typeof app.cwd === 'string' ? resolve(folder, app.cwd) : folder
  const script = String(app.script)
  const args = wordsOf(app.args)
  const nodeArgs = [...wordsOf(app.node_args ?? app.interpreter_args), ...(app.source_map_support === true ? ['--enable-source-maps'] : [])] // prettier-ignore
  const path = resolve(cwd, script)
  const place = { cwd, ...(args.length > 0 && { args }) }
  const count = instancesOf(app.instances)
  if (!existsSync(path)) {
    const isLine = script.includes(' ')
    return { cwd, command: isLine ? ['sh', '-c', [script, ...args].join(' ')] : [script, ...args], instances: count ?? 1 } // prettier-ignore
  }
  const interpreter = interpreterOf(app, path)
  if (interpreter === 'none') return { cwd, command: [path, ...args], instances: count ?? 1 }
  const own = { ...place, file: path, ...(nodeArgs.length > 0 && { execArgv: nodeArgs }) }
  if (interpreter !== 'node') return { ...own, interpreter, instances: count ?? 1 }
  const isCluster = app.exec_mode === undefined ? count !== undefined : /^cluster/.test(String(app.exec_mode))
  if (isCluster) {
    const listenTimeout = app.listen_timeout === undefined ? LISTEN_TIMEOUT_MS : msOf(app.listen_timeout) // prettier-ignore
    return { ...own, instances: count ?? 1, ...(app.wait_ready !== true && { listenTimeout }) }
  }
  note('exec_mode is fork: a reload restarts it, with a gap; "cluster" has none')
  return { ...own, portless: true, instances: count ?? 1 }
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

function isOff(value: unknown): boolean {
  return value === false || value === 'false'
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
