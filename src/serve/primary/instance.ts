// One instance of a server that listens, as the primary sees it, from its start to its end.
//
//   starting ──ready──> serving ──drain()──> draining ──drained, or grace over──> ending ──exit──> gone
//      │                   │                 the app is told     it is to end; SIGKILL after the grace
//      │                   └──exit──> gone
//      └──exit, or not ready (readiness.ts)──> SIGKILL ──> gone
//
// The grace counts from drain(). "ready" rejects when it is gone before it serves; "gone" always resolves, when nothing is left of what it
// has started.

import type { Worker } from 'node:cluster'
import type { InstanceLoad, InstanceState, RenewLimit } from '../contract/events.js'
import type { InstanceUsage } from '../contract/instance-messages.js'
import { isError } from '../../primitives/any-realm.js'
import { InFlightConnections, type OnListen } from './in-flight-connections.js'
import { guardChannel } from './channel-guard.js'
import { forkInstance, type StartSettings } from './fork-instance.js'
import { untilHang } from './hang-watch.js'
import { untilUnhealthy } from './health-watch.js'
import { InstanceChannel } from './instance-channel.js'
import { endGroup, signalGroup } from './process-group.js'
import { whyNotStarted } from './why-not-started.js'
import { waitUntilReady } from './readiness.js'

/** An instance that does not answer for so long is busy, and takes no connections anyway. */
const LEAVE_MS = 2000
/** An instance that is blocked must not hold up the figures of the others for longer. */
const LOAD_MS = 1000
/** An instance whose grace is over, and that is not blocked, ends by itself within this time. */
const END_MS = 1000
/** An instance that has taken no connection for so long, although one waits for it, is asked why; and has as long to answer. */
const TAKE_MS = 5000
/** How often it is compared with the instance that it replaces. */
const COMPARE_MS = 100

/** An option whose limit an instance has reached, and the figure that shows it. */
export interface ReachedLimit {
  limit: RenewLimit
  found: string
}

/** One process of a service, whatever it runs. */
export type Instance = Pick<ServerInstance, keyof ServerInstance>

export class ServerInstance {
  readonly id: number
  readonly pid: number
  readonly startedAt = Date.now()
  /** Rejects with an Error whose message is the reason. */
  readonly ready: Promise<void>
  /** Resolves with how it ended. */
  readonly gone: Promise<string>
  /** Resolves when it should be replaced; rejects with `ready`. */
  readonly needsReplacement: Promise<ReachedLimit>
  readyAt: number | null = null
  /** With which it has ended; null before, and when a signal ended it. */
  exitCode: number | null = null
  #state: InstanceState = 'starting'
  readonly #worker: Worker
  readonly #settings: StartSettings
  readonly #channel: InstanceChannel
  readonly #connections: InFlightConnections
  #isHung = false
  /** It cannot do what it is there for, and is to be replaced. */
  #isFailing = false
  /** It takes no connection and does not answer: it is blocked or suspended, and may come back. */
  #isSilent = false
  #onDeaf!: (reached: ReachedLimit) => void
  #load: Promise<InstanceLoad | null> | undefined
  #left: Promise<unknown> | undefined
  #drained: Promise<void> | undefined
  #killTimer: NodeJS.Timeout | undefined
  /** Why this process had to kill it: what came from it made code here throw. */
  #fault: string | undefined

  constructor(settings: StartSettings) {
    this.#settings = settings
    this.#worker = forkInstance(settings)
    this.id = this.#worker.id
    this.pid = this.#worker.process.pid ?? 0
    guardChannel(this.#worker.process, (problem) => {
      this.#connections.closeAll()
      this.#killFor(`what it wrote on its channel, descriptor 3, is no message (${problem})`)
    })
    this.#channel = new InstanceChannel(this.#worker)
    this.gone = this.#watchEnd()
    this.ready = this.#start()
    this.ready.catch(() => {}) // whoever started it may only look at its end
    this.needsReplacement = this.#watch()
    const onWait = () => void this.#askWhy()
    const onListen: OnListen = (...what) => this.#listens(...what)
    const around = { ...settings, waitMs: TAKE_MS, onWait, onListen }
    this.#connections = new InFlightConnections(this.#worker, around)
  }

  get place(): number {
    return this.#settings.place
  }

  get state(): InstanceState {
    return this.#state === 'serving' && (this.#isFailing || this.#isSilent) ? 'failing' : this.#state
  }

  /** Connections that were given to it and that it has not taken yet. */
  get inFlight(): number {
    return this.#connections.count
  }

  listensOn(key: string): boolean {
    return this.#connections.listensOn(key) || this.#connections.isShutOn(key)
  }

  /** Takes it out of rotation; resolves when no connection can come to it any more. Never rejects. */
  async leave(): Promise<void> {
    if (this.#state === 'starting') return this.kill()
    if (this.#state === 'serving') {
      this.#state = 'draining'
      const limitMs = Math.min(LEAVE_MS, this.#settings.graceMs)
      this.#left = this.#channel.request({ threadwise: 'leave' }, 'left', limitMs)
    }
    await this.#left
  }

  /** Ends it when its requests are answered; resolves when it is gone, soon after the grace at most. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  /** What it measures of itself; null when it does not answer in time. Calls at the same time share one request. */
  load(): Promise<InstanceLoad | null> {
    const reply = () => this.#channel.request({ threadwise: 'load' }, 'load', LOAD_MS)
    this.#load ??= reply()
      .then((message) => message?.load ?? null)
      .finally(() => (this.#load = undefined))
    return this.#load
  }

  /** What it has used so far; null when it does not answer in time. */
  async usage(): Promise<InstanceUsage | null> {
    const message = await this.#channel.request({ threadwise: 'usage' }, 'usage', LOAD_MS)
    return message?.usage ?? null
  }

  /** Resolves when it listens on all that the other one listens on: a file may have several servers. */
  async listenLike(other: Instance): Promise<void> {
    const missing = () =>
      other instanceof ServerInstance ? this.#connections.missingBeside(other.#connections) : []
    const { readyTimeoutMs } = this.#settings
    const end = Date.now() + readyTimeoutMs
    while (missing().length > 0 && this.#state === 'serving') {
      if (Date.now() > end) {
        this.kill()
        await this.gone
        throw new Error(
          `it does not listen on ${missing().join(', ')}, as the one before it does (stop and start the service if that is meant)`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, COMPARE_MS))
    }
    if (this.#state === 'gone') throw new Error(`it ended ${await this.gone}`)
  }

  /** At once. */
  kill(): void {
    if (!signalGroup(this.pid, 'SIGKILL')) this.#worker.process.kill('SIGKILL') // it has no group of its own
  }

  /** Called from inside node:cluster, outside of what the guard of its channel sees. */
  #listens(...what: Parameters<OnListen>): void {
    try {
      this.#settings.onListen(...what)
    } catch (error) {
      this.#killFor(`what it listens on cannot be served (${isError(error) ? error.message : String(error)})`)
    }
  }

  #killFor(fault: string): void {
    this.#fault ??= fault
    this.kill()
  }

  async #start(): Promise<void> {
    try {
      await waitUntilReady({ channel: this.#channel, gone: this.gone }, this.#settings)
      this.#checkListening()
      const { isShut, isGated } = this.#settings
      if (isShut && !isGated) this.#channel.send({ threadwise: 'open' }) // what is gated has got it
      this.#connections.open()
      this.#state = 'serving'
      this.readyAt = Date.now()
    } catch (error) {
      this.kill()
      await this.gone
      throw error
    }
  }

  /** Both rest on what the primary reads of the messages of node:cluster. */
  #checkListening(): void {
    const { entrance, isShut, isGated, listenTimeoutMs } = this.#settings
    const isHeld = isShut && !isGated && listenTimeoutMs === null
    if (this.#connections.isListening || !(entrance.sticky || isHeld)) return
    const what = entrance.sticky ? 'sticky' : 'waitReady and health'
    throw new Error(`node:cluster of ${process.version} does not send the messages that ${what} needs`)
  }

  async #drain(): Promise<void> {
    const { graceMs } = this.#settings
    if (this.#isHung) this.kill() // it would not read that it is to end
    const end = Date.now() + graceMs
    await this.leave()
    if (this.#state === 'draining') {
      await this.#channel.request({ threadwise: 'drain' }, 'drained', Math.max(1, end - Date.now()))
    }
    if (this.#state === 'draining') {
      this.#state = 'ending'
      this.#channel.send({ threadwise: 'end' })
      clearTimeout(this.#killTimer)
      const leftMs = Math.max(end - Date.now(), Math.min(END_MS, graceMs))
      this.#killTimer = setTimeout(() => this.kill(), leftMs)
    }
    await this.gone
  }

  /** Resolves with the first limit that it reaches. */
  async #watch(): Promise<ReachedLimit> {
    const { limit, found } = await Promise.race([
      this.#channel.next('limitReached'),
      this.#watchForHang(),
      this.#watchHealth(),
      new Promise<ReachedLimit>((resolve) => (this.#onDeaf = resolve)),
    ])
    this.#isFailing = limit === 'hangTimeout' || limit === 'health' || limit === 'listening'
    return { limit, found }
  }

  /**
   * It takes no connection. If it answers nevertheless, connections do not reach it, as when it is out of file descriptors: node:cluster
   * would wait for it for ever, and give it no other one.
   */
  async #askWhy(): Promise<void> {
    if (this.#isSilent) return
    const ask = () => this.#channel.request({ threadwise: 'ping' }, 'pong', TAKE_MS)
    const answers = (await ask()) && (await ask()) // the first may be the late reply to who has asked before
    if (this.#isSilent || this.#state !== 'serving' || !this.#connections.isWaiting) return
    if (answers) {
      this.#connections.refuseAll()
      return this.#onDeaf({ limit: 'listening', found: 'it answers, and takes no connections' })
    }
    if (this.#settings.hangTimeoutMs !== null) return // that watches by itself
    const who = `Instance ${this.id} (process ${this.pid})`
    this.#isSilent = true
    this.#settings.onTrouble(
      `${who} takes no connections and does not answer: it is blocked, or suspended. With hangTimeout it would be replaced.`,
    )
    void this.#channel.next('pong').then(() => {
      this.#isSilent = false
      this.#settings.onTrouble(`${who} answers again.`)
    })
  }

  /** Stays pending when it ends before it is unhealthy, and where there is no path. */
  async #watchHealth(): Promise<ReachedLimit> {
    const { health, healthIntervalMs, healthThreshold } = this.#settings
    if (health === null) return never()
    await this.ready
    const settings = { path: health, intervalMs: healthIntervalMs, threshold: healthThreshold }
    const found = await untilUnhealthy(this.#channel, settings)
    return this.#state === 'serving' ? { limit: 'health', found } : never()
  }

  /** Stays pending when it ends before it hangs, and where there is no limit. */
  async #watchForHang(): Promise<ReachedLimit> {
    const { hangTimeoutMs } = this.#settings
    if (hangTimeoutMs === null) return never()
    await this.ready
    await untilHang(this.#channel, hangTimeoutMs)
    if (this.#state !== 'serving') return never()
    this.#isHung = true
    void this.#channel.next('pong').then(() => (this.#isHung = false)) // if it recovers, it may end well
    return { limit: 'hangTimeout', found: `no answer within ${hangTimeoutMs} ms` }
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        clearTimeout(this.#killTimer)
        this.#state = 'gone'
        this.#channel.close()
        void endGroup(this.pid).then(() => resolve(how))
      }
      // A message to an instance that has just died is also an error here; its exit follows.
      this.#worker.on('error', (error: Error) => {
        if (this.#worker.process.pid === undefined)
          end(`because it could not be started (${whyNotStarted(error, this.#settings.cwd)})`)
      })
      this.#worker.once('exit', (code: number | null, signal: string | null) => {
        this.exitCode = code
        if (this.#fault !== undefined) return end(`by SIGKILL: ${this.#fault}`)
        end(signal === null ? `with exit code ${code}` : `by ${signal}`)
      })
      // Without its channel it gets no connection and no message.
      this.#worker.once('disconnect', () => {
        if (this.#state === 'gone') return // its id may be that of another process when the grace is over
        this.#killTimer ??= setTimeout(() => this.kill(), this.#settings.graceMs)
      })
    })
  }
}

/** A new one each time: whoever waits for a promise stays in memory as long as it does. */
function never(): Promise<never> {
  return new Promise(() => {})
}
