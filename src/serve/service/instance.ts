// One instance of a server, as the primary sees it, from its start to its end.
//
//   starting ──ready──> serving ──drain()──> draining ──drained, or grace over──> ending ──exit──> gone
//      │                   │                                             SIGTERM; after grace SIGKILL
//      │                   └──exit──> gone
//      └──exit, not ready in time, no listening──> SIGKILL ──> gone
//
// "ready" rejects when it is gone before it serves; "gone" always resolves.

import cluster, { type Worker } from 'node:cluster'
import { Conversation } from './request-reply.js'
import type { InstanceLoad, RenewLimit, InstanceState } from '../contract/events.js'
import { forkInstance, type StartSettings } from './fork-instance.js'
import { HandedConnections } from '../sticky/in-flight-connections.js'
import { type Use, ownMessage, type FromInstance, type ToInstance } from '../contract/instance-messages.js'

/** One that does not answer for so long is busy, and takes no connections anyway. */
const LEAVE_MS = 2000
/** One that is blocked must not hold up the figures of the others for longer. */
const LOAD_MS = 1000
/** How often an instance that is not healthy yet is asked again. */
const ASK_AGAIN_MS = 100

type Message<Kind extends FromInstance['threadwise']> = Extract<FromInstance, { threadwise: Kind }>

export interface Worn {
  limit: RenewLimit
  found: string
}

export class Instance {
  readonly id: number
  readonly pid: number
  readonly startedAt = Date.now()
  /** Rejects with an Error whose message is the reason. */
  readonly ready: Promise<void>
  /** Resolves with how it ended. */
  readonly gone: Promise<string>
  /** Resolves when it should be replaced: it has reached a limit. */
  readonly worn: Promise<Worn>
  readyAt: number | null = null
  #state: InstanceState = 'starting'
  readonly #worker: Worker
  readonly #settings: StartSettings
  readonly #talk = new Conversation((message) => this.#post(message))
  readonly #handed: HandedConnections
  #isHung = false
  #loadAsked: Promise<InstanceLoad | null> | undefined
  #left: Promise<unknown> | undefined
  #drained: Promise<void> | undefined
  #killTimer: NodeJS.Timeout | undefined

  constructor(settings: StartSettings) {
    this.#settings = settings
    this.#worker = forkInstance(settings)
    this.id = this.#worker.id
    this.pid = this.#worker.process.pid ?? 0
    this.gone = this.#watchEnd()
    this.#worker.on('message', (message: unknown) => {
      const own = ownMessage<FromInstance>(message)
      if (own) this.#talk.hear(own.threadwise, own)
      else if (message === 'ready') this.#talk.hear('ready', 'ready')
    })
    this.ready = this.#start()
    this.ready.catch(() => {}) // whoever started it may only look at its end
    this.worn = Promise.race([this.#talk.next('enough') as Promise<Message<'enough'>>, this.#hung()])
    this.#worker.on('listening', () => this.#talk.hear('listening', 'listening'))
    this.#handed = new HandedConnections(this.#worker, settings.sticky, settings.place)
  }

  get place(): number {
    return this.#settings.place
  }

  get state(): InstanceState {
    return this.#state
  }

  /** Connections that were given to it and that it has not taken yet. */
  get onTheWay(): number {
    return this.#handed.count
  }

  /** Takes it out of rotation; resolves when no connection can come to it any more. Never rejects. */
  async leave(): Promise<void> {
    if (this.#state === 'starting') return this.kill()
    if (this.#state === 'serving') {
      this.#state = 'draining'
      this.#left = this.#talk.ask({ threadwise: 'leave' }, 'out', Math.min(LEAVE_MS, this.#settings.graceMs))
    }
    await this.#left
  }

  /** Ends it when its requests are answered; resolves when it is gone, soon after twice the grace at most. */
  drain(): Promise<void> {
    this.#drained ??= this.#drain()
    return this.#drained
  }

  /** What it says of its load; null when it does not answer in time. */
  load(): Promise<InstanceLoad | null> {
    this.#loadAsked ??= this.#askLoad().finally(() => (this.#loadAsked = undefined))
    return this.#loadAsked
  }

  /** What it has used so far; null when it does not answer in time. */
  async use(): Promise<Use | null> {
    const message = await this.#talk.ask({ threadwise: 'use' }, 'use', LOAD_MS)
    return (message as Message<'use'> | undefined)?.use ?? null
  }

  /** Resolves when it listens on all that the other one listens on: a file may have several servers. */
  async listenLike(other: Instance): Promise<void> {
    const missing = () => this.#handed.missingBeside(other.#handed)
    const { readyTimeoutMs } = this.#settings
    const end = Date.now() + readyTimeoutMs
    while (missing().length > 0 && this.#state === 'serving') {
      if (Date.now() > end) {
        this.kill()
        await this.gone
        throw new Error(`it does not listen on ${missing().join(', ')}, as the one before it does (stop and start the service if that is meant)`) // prettier-ignore
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
    }
    if (this.#state === 'gone') throw new Error(`it ended ${await this.gone}`)
  }

  /** At once. */
  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  async #drain(): Promise<void> {
    const { graceMs } = this.#settings
    if (this.#isHung) this.kill() // it would hear nothing of an end
    const end = Date.now() + graceMs
    await this.leave()
    if (this.#state === 'draining') {
      await this.#talk.ask({ threadwise: 'drain' }, 'drained', Math.max(1, end - Date.now()))
    }
    if (this.#state === 'draining') {
      this.#state = 'ending'
      this.#post({ threadwise: 'end' })
      this.#worker.process.kill('SIGTERM')
      clearTimeout(this.#killTimer)
      this.#killTimer = setTimeout(() => this.kill(), graceMs)
    }
    await this.gone
  }

  async #askLoad(): Promise<InstanceLoad | null> {
    const message = await this.#talk.ask({ threadwise: 'load' }, 'load', LOAD_MS)
    return (message as { load: InstanceLoad } | undefined)?.load ?? null
  }

  /** Resolves when it does not answer in time; does not ask unless there is such a limit. */
  async #hung(): Promise<Worn> {
    const { hangTimeoutMs } = this.#settings
    if (hangTimeoutMs === null) return new Promise(() => {})
    await this.ready
    while (await this.#isAlive(hangTimeoutMs)) {
      await new Promise((resolve) => setTimeout(resolve, hangTimeoutMs / 2).unref())
    }
    if (this.#state !== 'serving') return new Promise(() => {})
    this.#isHung = true
    void this.#talk.next('pong').then(() => (this.#isHung = false)) // if it recovers, it may end well
    return { limit: 'hangTimeout', found: `no answer within ${hangTimeoutMs} ms` }
  }

  /** Asks again where the limit ended much later than due: then this process was held up, and perhaps the instance together with it. */
  async #isAlive(limitMs: number): Promise<boolean> {
    for (;;) {
      const askedAt = performance.now()
      if (await this.#talk.ask({ threadwise: 'ping' }, 'pong', limitMs)) return true
      if (this.#state === 'gone' || performance.now() - askedAt < limitMs * 1.25) return false
    }
  }

  #start(): Promise<void> {
    const { readyTimeoutMs } = this.#settings
    let waitsFor = 'it did not listen'
    const becomeReady = async () => {
      for await (const next of this.#steps()) waitsFor = next
    }
    const ended = this.gone.then((how) => {
      throw new Error(`it ended ${how}`)
    })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const fail = () => reject(new Error(`${waitsFor} within ${readyTimeoutMs} ms (readyTimeout)`))
      timer = setTimeout(fail, readyTimeoutMs)
    })
    const unable = this.#talk.next('unable').then((message) => {
      throw new Error((message as Message<'unable'>).reason)
    })
    return Promise.race([becomeReady(), ended, unable, late]).then(
      () => {
        clearTimeout(timer)
        this.#state = 'serving'
        this.readyAt = Date.now()
      },
      async (error: unknown) => {
        clearTimeout(timer)
        this.kill()
        await this.gone
        throw error
      },
    )
  }

  /** Each step that it waits for, told as what is missing if the time ends there. */
  async *#steps(): AsyncGenerator<string> {
    const { isGated, waitReady, health } = this.#settings
    await this.#talk.next(isGated ? 'listens' : 'listening')
    if (waitReady) {
      yield `it listened, but did not call process.send('ready')`
      await this.#talk.next('ready')
    }
    if (health !== null) yield `its health check ${health} gave no answer`
    while (health !== null) {
      const answer = await this.#askHealth(health)
      if (answer === null) break
      yield `its health check ${health} did not succeed (${answer})`
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS))
      if (this.#state !== 'starting') return
    }
    if (!isGated) return this.#assertSticky()
    yield 'it was healthy, but did not get its port'
    const opened = this.#talk.next('opened')
    this.#post({ threadwise: 'open' })
    const { problem } = (await opened) as Message<'opened'>
    if (problem !== null) throw new Error(problem)
    this.#assertSticky()
  }

  #assertSticky(): void {
    if (this.#settings.sticky === null || this.#handed.isListening) return
    throw new Error(`node:cluster of ${process.version} does not tell what "sticky" has to know`)
  }

  /** Null when it is healthy, else what was wrong. */
  async #askHealth(path: string): Promise<string | null> {
    const checked = this.#talk.next('checked')
    this.#talk.forget('checked')
    this.#post({ threadwise: 'check', path })
    const { isHealthy, answer } = (await checked) as Message<'checked'>
    return isHealthy ? null : answer
  }

  #post(message: ToInstance): void {
    // A failed write means that it ends, and that is seen by itself.
    if (this.#worker.isConnected()) this.#worker.process.send(message, () => {})
  }

  #watchEnd(): Promise<string> {
    return new Promise((resolve) => {
      const end = (how: string) => {
        clearTimeout(this.#killTimer)
        this.#state = 'gone'
        this.#talk.end()
        resolve(how)
      }
      // A message to one that has just died is also an error here; its exit follows.
      this.#worker.on('error', (error: Error) => {
        if (this.#worker.process.pid === undefined) end(`because it could not be started (${error.message})`)
      })
      this.#worker.once('exit', (code: number | null, signal: string | null) => {
        end(signal === null ? `with exit code ${code}` : `by ${signal}`)
      })
      // Without its channel it gets no connection and hears nothing.
      this.#worker.once('disconnect', () => {
        this.#killTimer ??= setTimeout(() => this.kill(), this.#settings.graceMs)
      })
    })
  }
}

/** Whether this process is itself an instance, which cannot have any. */
export function isInstance(): boolean {
  return cluster.isWorker
}
