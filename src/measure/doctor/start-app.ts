// Starts the app as it is, with the agent in it, and finds out what kind of program it is.

import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import type { CpuLimit } from '../../cpu/limit/limit-child.js'
import { deniedAgent, findDropped, type Dropped } from './dropped-agent.js'
import { endGroupWithUs } from '../machine/end-group-with-us.js'
import agentCode from './agent/agent-entry.js?code'
import { FOLDER_VARIABLE } from './agent/json-lines.js'
import type { WholeRun } from './agent/messages.js'
import type { ListeningPlace, OtherServer } from './agent/watch-listening.js'
import { AppEnded, listenForAgents, talkToAgent, type Agent } from './agent/agent-server.js'

const hasGroups = process.platform !== 'win32'
/** How long an app may take to end by itself, after it was asked to. */
const STOP_MS = 1500
/** What is kept of its output, for the reason of a failure. */
const TAIL_LENGTH = 4000
/** How long a cluster may take until its first worker listens, after that worker has started. */
const CLUSTER_MS = 300
/** How long a server of HTTP/1 may come after one of HTTP/2. */
const HTTP2_MS = 3000

/** Between two looks for processes without an agent. */
const LOOK_MS = 200
const DROPPED_MS = 2000

export interface AppToStart {
  /** A program and its arguments. */
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Default: that of this process. */
  readonly cwd?: string
  /** The CPU limit under which it runs; removed when the app has stopped. */
  readonly limit?: CpuLimit
}

/** Where the app takes requests. */
export interface AppPlace {
  readonly origin: string
  /** Of a socket file its path; null: it is a port. */
  readonly socket: string | null
}

export type AppStart =
  /** Where it listened first; later places are added to `others` as they come. */
  | { kind: 'server'; place: AppPlace; others: readonly AppPlace[]; agent: Agent }
  | { kind: 'other-server'; protocol: OtherServer['protocol'] }
  | { kind: 'cluster'; pids: number[] }
  | { kind: 'ended'; runs: WholeRun[]; code: number | null; by: string | null }
  /** It listens, and doctor's agent is not in it. */
  | { kind: 'dropped'; sentence: string }
  | { kind: 'running' }

export interface App {
  /** What it turned out to be, at the latest after `ms`. Rejects when interrupted. */
  whatItIs(ms: number): Promise<AppStart>
  /** The last lines that it printed. */
  lastWords(): string
  /** Why doctor's agent is not in it, or not in all of it; null: nothing is known of that. */
  whyNoAgent(): string | null
  /** Rejects when the app has ended, or when interrupted. */
  readonly lost: Promise<never>
  /** Ends the app with all that it has started. Never rejects. */
  stop(): Promise<void>
}

export async function startApp({ command, env, signal, cwd, limit }: AppToStart): Promise<App> {
  const events = createEvents()
  const server = await listenForAgents((socket) => welcome(socket, events))
  const { folder } = server
  const agentFile = join(folder, 'agent.cjs')
  writeFileSync(agentFile, `${agentCode}()`, { mode: 0o600 })
  const child = spawnApp(command, { env: { ...env, [FOLDER_VARIABLE]: folder }, cwd, limit }, agentFile)
  const dropped = child.pid !== undefined && hasGroups ? watchDropped(child.pid, folder, events) : null
  const reaper = child.pid !== undefined && hasGroups ? startReaper(child.pid, folder) : null
  let words = ''
  for (const stream of [child.stdout!, child.stderr!])
    stream.on('data', (data: Buffer) => (words = (words + String(data)).slice(-TAIL_LENGTH)))
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  child.once('error', (error) => {
    words = error.message
    events.tell({ kind: 'ended', runs: [], code: null, by: null })
  })
  child.once('close', (code, by) => events.tell({ kind: 'ended', runs: readRuns(folder), code, by }))
  const lost = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
    child.once('close', () => reject(new AppEnded()))
  })
  lost.catch(() => {}) // nobody may be waiting for it
  return {
    lost,
    lastWords: () => words,
    whyNoAgent: () => deniedAgent(words) ?? dropped?.last()?.sentence ?? null,
    whatItIs: (ms) => Promise.race([events.first(ms), rejectOnAbort(signal)]).finally(() => dropped?.stop()),
    async stop() {
      dropped?.stop()
      await stopGroup(child, closed)
      await limit?.remove()
      reaper?.stdin!.end('\n')
      server.close()
    },
  }
}

/** Until it is known what the app is. One that listens may be a helper: the app itself gets some time more. */
function watchDropped(group: number, folder: string, events: Events) {
  let last: Dropped | null = null
  const timer = setInterval(() => {
    const found = findDropped({ group, folder, known: events.agents })
    if (found?.isListening && last?.isListening !== true)
      setTimeout(() => events.tell({ kind: 'dropped', sentence: found.sentence }), DROPPED_MS).unref()
    last = found ?? last
  }, LOOK_MS).unref()
  return { last: () => last, stop: () => clearInterval(timer) }
}

interface SpawnPlace {
  readonly env: Record<string, string>
  readonly cwd: string | undefined
  readonly limit: CpuLimit | undefined
}

function spawnApp(
  command: readonly string[],
  { env, cwd, limit }: SpawnPlace,
  agentFile: string,
): ChildProcess {
  const [given, ...rest] = command as [string, ...string[]]
  const { file, args } = limit?.wrap(given, rest) ?? { file: given, args: rest }
  const preload = `--require ${JSON.stringify(agentFile)}`
  const options = [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' ')
  const app = spawn(file, args, {
    env: { ...process.env, ...env, NODE_OPTIONS: options, ...(limit && { THREADWISE_CPUS: undefined }) }, // it is to see its limit
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: hasGroups,
    shell: !hasGroups && /^(npm|npx|pnpm|yarn)$/.test(file), // these are no programs on Windows, but scripts
  })
  if (app.pid !== undefined) limit?.adopt(app.pid)
  endGroupWithUs(app)
  return app
}

/** Ends the group and its folder when doctor has been killed: an app whose event loop is blocked would not notice. At the end of doctor it gets a line. */
function startReaper(group: number, folder: string): ChildProcess {
  const program = `read -r line || { kill -KILL -- -${group}; rm -rf -- "$1"; }`
  const reaper = spawn('sh', ['-c', program, 'sh', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  reaper.stdin.on('error', () => {})
  reaper.on('error', () => {}) // without a shell the agents do it
  reaper.unref()
  ;(reaper.stdin as unknown as Socket).unref()
  return reaper
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}

interface Events {
  tell(start: AppStart): void
  /** Of a server that speaks no HTTP/1: that of the app may come later, as tools talk to their parts by such servers. */
  tellOther(protocol: OtherServer['protocol']): void
  first(ms: number): Promise<AppStart>
  /** Of workers of a cluster. */
  readonly clusterPids: number[]
  /** Of processes that have an agent. */
  readonly agents: Set<number>
}

function createEvents(): Events {
  let tell: (start: AppStart) => void
  const told = new Promise<AppStart>((resolve) => (tell = resolve))
  let other: AppStart | undefined
  return {
    clusterPids: [],
    agents: new Set(),
    tell: (start) => tell(start),
    tellOther(protocol) {
      other = { kind: 'other-server', protocol }
      if (protocol === 'HTTP/2') setTimeout(tell, HTTP2_MS, other).unref()
    },
    first(ms) {
      let timer: NodeJS.Timeout
      const late = new Promise<AppStart>((resolve) => {
        timer = setTimeout(() => resolve(other ?? { kind: 'running' }), ms)
      })
      return Promise.race([told, late]).finally(() => clearTimeout(timer))
    },
  }
}

function welcome(socket: Socket, events: Events): void {
  let isWorker = false
  let isServer = false
  const others: AppPlace[] = []
  let who = { pid: 0, node: '' }
  const ask = talkToAgent(socket, (message) => {
    if (message.says === 'starts') {
      ;({ isClusterWorker: isWorker, ...who } = message)
      events.agents.add(who.pid)
      if (!isWorker) return
      events.clusterPids.push(who.pid)
      setTimeout(() => events.tell({ kind: 'cluster', pids: events.clusterPids }), CLUSTER_MS).unref()
    } else if (isWorker) return
    else if (message.says === 'listens' && isServer) others.push(placeOf(message))
    else if (message.says === 'listens') {
      isServer = true
      events.tell({ kind: 'server', place: placeOf(message), others, agent: { ...who, ask } })
    } else events.tellOther(message.protocol)
  })
}

function placeOf({ address, port, isTls }: ListeningPlace): AppPlace {
  const scheme = isTls ? 'https' : 'http'
  if (port === null) return { origin: `${scheme}://localhost`, socket: address }
  const isAny = address === '::' || address === '0.0.0.0'
  const host = isAny ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address
  return { origin: `${scheme}://${host}:${port}`, socket: null }
}

function readRuns(folder: string): WholeRun[] {
  if (!existsSync(folder)) return [] // doctor has given up already
  const files = readdirSync(folder).filter((name) => /^run-\d+\.json$/.test(name))
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as WholeRun)
}

async function stopGroup(child: ChildProcess, closed: Promise<void>): Promise<void> {
  if (child.pid === undefined) return
  kill(child, 'SIGTERM')
  let timer: NodeJS.Timeout | undefined
  await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, STOP_MS)))])
  clearTimeout(timer)
  kill(child, 'SIGKILL') // what is left of the group, also when its first process has ended
  await closed
}

function kill(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (hasGroups) process.kill(-child.pid!, signal)
    else child.kill(signal)
  } catch {
    // all of it has ended already
  }
}
