// An instance that shares no port: a worker, a queue, a bot, or any command such as `npm start`. It is a plain child process, and what is
// known of it is that it runs.
//
//   starting ──runs for a second, or says 'ready'──> serving ──drain()──> draining ──exit, or SIGKILL after the grace──> gone
//
// Two of a kind may not be meant to run at once, so a reload ends the old one first: InstanceSet.

import { spawn, type ChildProcess } from 'node:child_process'
import { basename } from 'node:path'
import type { InstanceLoad, InstanceState } from '../contract/events.js'
import { variablesAt } from '../contract/place-variables.js'
import type { ResolvedServe } from '../contract/resolve-options.js'
import { whyNotStarted } from './why-not-started.js'
import { usageOfGroup, type GroupUsage } from './group-usage.js'
import type { Instance, ReachedLimit } from './instance.js'
import { endGroup, signalGroup } from './process-group.js'

/** A program that has run for so long has started. */
const STARTED_MS = 1000
/** How often its memory is looked at. */
const LOOK_MS = 10_000

type ProgramSettings = Pick<
  ResolvedServe,
  | 'program'
  | 'cwd'
  | 'env'
  | 'instanceVariable'
  | 'incrementVariable'
  | 'listenTimeoutMs'
  | 'stopSignal'
  | 'graceMs'
  | 'waitReady'
  | 'readyTimeoutMs'
  | 'maxMemory'
  | 'restart'
  | 'collect'
> & { readonly place: number; readonly startMark: string }

let lastId = 0

export class Program implements Instance {
  readonly id = ++lastId
  readonly pid: number
  readonly startedAt = Date.now()
  readonly place: number
  readonly ready: Promise<void>
  readonly gone: Promise<string>
  readonly needsReplacement: Promise<ReachedLimit>
  readonly inFlight = 0
  readyAt: number | null = null
  exitCode: number | null = null
  #state: InstanceState = 'starting'
  readonly #child: ChildProcess
  readonly #settings: ProgramSettings
  #drained: Promise<void> | undefined
  #killTimer: NodeJS.Timeout | undefined
  #lookTimer: NodeJS.Timeout | undefined
  #last: { at: number; cpuMs: number } | undefined

  constructor(settings: ProgramSettings) {
    this.#settings = settings
    this.place = settings.place
    this.#child = start(settings)
    this.pid = this.#child.pid ?? 0
    settings.collect?.(this.id, this.#child)
    this.gone = this.#watchEnd()
    this.ready = this.#start()
    this.ready.catch(() => {}) // whoever started it may only look at its end
    this.needsReplacement = this.#watchMemory()
  }

  get state(): InstanceState {
    return this.#state
  }

  listensOn(): boolean {
    return false
  }

  async leave(): Promise<void> {}

  async listenLike(): Promise<void> {}

  async usage(): Promise<null> {
    return null
  }

  /** Tells it to end; resolves when it is gone, and all that it has started. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  kill(): void {
    signalGroup(this.pid, 'SIGKILL')
  }

  async load(): Promise<InstanceLoad | null> {
    const usage = this.#state === 'gone' ? null : usageOfGroup(this.pid)
    return usage && { ...NO_REQUESTS, rss: usage.rss, cpuMs: usage.cpuMs, cpu: this.#cpuSince(usage) }
  }

  /** CPUs used since the last time it was asked, or since its start. */
  #cpuSince({ cpuMs }: GroupUsage): number {
    const before = this.#last ?? { at: this.startedAt, cpuMs: 0 }
    const at = Date.now()
    this.#last = { at, cpuMs }
    return Math.max(0, cpuMs - before.cpuMs) / Math.max(1, at - before.at)
  }

  async #drain(): Promise<void> {
    const { stopSignal, graceMs } = this.#settings
    if (this.#state !== 'gone') {
      this.#state = 'draining'
      this.#killTimer = setTimeout(() => this.kill(), graceMs)
      if (stopSignal !== 'message') signalGroup(this.pid, stopSignal)
      else if (this.#child.connected) this.#child.send('shutdown', () => {})
    }
    await this.gone
  }

  async #start(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const { restart, waitReady, readyTimeoutMs, listenTimeoutMs } = this.#settings
    const started = new Promise<void>((resolve, reject) => {
      const late = () =>
        reject(new Error(`it did not call process.send('ready') within ${readyTimeoutMs} ms (readyTimeout)`))
      if (!waitReady) timer = setTimeout(resolve, STARTED_MS)
      else if (listenTimeoutMs !== null) timer = setTimeout(resolve, listenTimeoutMs)
      else timer = setTimeout(late, readyTimeoutMs)
      this.#child.on('message', (message) => waitReady && message === 'ready' && resolve())
      // It may end as soon as it likes.
      if (restart !== 'always' && !waitReady) this.#child.once('spawn', resolve)
    })
    const ended = this.gone.then((how) => {
      throw new Error(
        `it ended ${how}${this.exitCode === 0 ? ' (a program that is to end has restart: never)' : ''}`,
      )
    })
    try {
      await Promise.race([started, ended])
      if (this.#state === 'starting') this.#state = 'serving'
      this.readyAt = Date.now()
    } catch (error) {
      this.kill()
      await this.gone
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  #watchMemory(): Promise<ReachedLimit> {
    const { maxMemory } = this.#settings
    return new Promise((resolve) => {
      if (maxMemory === null) return
      const look = () => {
        const rss = usageOfGroup(this.pid)?.rss ?? 0
        if (rss > maxMemory) resolve({ limit: 'maxMemory', found: `${Math.round(rss / 1024 ** 2)} MB` })
      }
      this.#lookTimer = setInterval(look, LOOK_MS).unref()
    })
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        clearTimeout(this.#killTimer)
        clearInterval(this.#lookTimer)
        this.#state = 'gone'
        void endGroup(this.pid).then(() => resolve(how))
      }
      this.#child.on('error', (error) => {
        if (this.#child.pid === undefined)
          end(`because it could not be started (${whyNotStarted(error, this.#settings.cwd)})`)
      })
      this.#child.once('exit', (code, signal) => {
        this.exitCode = code
        end(signal === null ? `with exit code ${code}` : `by ${signal}`)
      })
    })
  }
}

/** What is not known of a program. */
const NO_REQUESTS = {
  requests: 0,
  errors: 0,
  open: 0,
  perSecond: 0,
  p50: null,
  p99: null,
  loopDelay: null,
  heapUsed: 0,
  totalMs: 0,
  within: {},
}

/** Otherwise Python keeps up to 8 kB of what it prints before a log gets it, and one that is killed has said nothing. */
const UNBUFFERED = { PYTHONUNBUFFERED: '1' }

function isPython(path: string): boolean {
  return /^python[\d.]*$/.test(basename(path))
}

function start(settings: ProgramSettings): ChildProcess {
  const { program, cwd, place, collect } = settings
  const { words, hasChannel } = program!
  const output = collect ? 'pipe' : 'inherit'
  return spawn(words[0]!, words.slice(1), {
    cwd,
    detached: process.platform !== 'win32', // the leader of a group: process-group.ts
    env: {
      ...(isPython(words[0]!) && UNBUFFERED),
      ...process.env,
      ...variablesAt(place, settings),
    },
    stdio: ['ignore', output, output, ...(hasChannel ? ['ipc' as const] : [])],
  })
}
