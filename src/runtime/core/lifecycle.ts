// The life of an executor: open --> closing --> closed, and from anywhere --> destroyed.

import { ThreadwiseError } from '../../errors/errors.js'
import {
  startTimer,
  stopTimer,
  type Timer,
  LONGEST_TIMER_MS,
  repeat,
  stopRepeating,
} from '../../primitives/timers.js'

export type LifeState = 'open' | 'closing' | 'closed' | 'destroyed'

/** The error for a call that comes too late. */
export function lateCallError(state: LifeState, reason: unknown): ThreadwiseError {
  return state === 'destroyed'
    ? new ThreadwiseError('TW_ERR_DESTROYED', {}, reason === undefined ? undefined : { cause: reason })
    : new ThreadwiseError('TW_ERR_CLOSED')
}

/** Waits for `idle`, at most `timeout` ms. True when it came in time. */
export async function inTime(idle: Promise<void>, timeout: number): Promise<boolean> {
  let timer: Timer
  const late = new Promise<boolean>((resolve) => (timer = startTimer(timeout, () => resolve(false))))
  try {
    return await Promise.race([idle.then(() => true), late])
  } finally {
    stopTimer(timer)
  }
}

export interface LifeEvents {
  /** No call is open. */
  isIdle(): boolean
  /** Resolves when all calls have failed, which may take a while: they may be very many. */
  failAll(makeReason: (call: { readonly name: string }) => unknown): Promise<void>
  /** From now on no calls are taken. */
  onEnding(): void
  /** Ends what runs calls: gently when nothing is left to do. May be called again, to end it now. */
  end(how: 'close' | 'terminate'): Promise<void>
}

export class PoolLife {
  state: LifeState = 'open'
  readonly #events: LifeEvents
  #destroyReason: unknown
  #closing: Promise<void> | undefined
  #failing: Promise<void> | undefined
  #idle = Promise.resolve()
  #whenIdle: (() => void) | undefined
  /** Ends the wait for open calls. */
  #giveUp!: (timeout: number) => void

  constructor(events: LifeEvents) {
    this.#events = events
  }

  get isOpen(): boolean {
    return this.state === 'open'
  }

  /** It lets calls finish, and so takes what these fork. */
  get takesForks(): boolean {
    return this.state === 'open' || this.state === 'closing'
  }

  /** The error for a call that comes too late. */
  get lateError(): ThreadwiseError {
    return lateCallError(this.state, this.#destroyReason)
  }

  /** To be called when the last open call has settled. */
  onIdle(): void {
    this.#whenIdle?.()
  }

  close(timeout: number): Promise<void> {
    if (this.state === 'open') {
      this.state = 'closing'
      this.#closing = this.#close()
      this.#events.onEnding()
    }
    // Also of one that closes already: who calls again may be in more of a hurry.
    if (this.state === 'closing') void this.#limit(timeout)
    return this.#closing ?? this.#events.end('terminate')
  }

  async destroy(reason: unknown): Promise<void> {
    if (this.state === 'open' || this.state === 'closing') {
      this.state = 'destroyed'
      this.#destroyReason = reason
      this.#failing = this.#events.failAll(() => this.lateError)
      this.#events.onEnding()
    }
    await this.#events.end('terminate')
    await this.#failing
  }

  async #limit(timeout: number): Promise<void> {
    if (!(await inTime(this.#idle, timeout))) this.#giveUp(timeout)
  }

  async #close(): Promise<void> {
    const events = this.#events
    if (!events.isIdle()) this.#idle = new Promise((resolve) => (this.#whenIdle = resolve))
    const timeout = await new Promise<number | undefined>((resolve) => {
      this.#giveUp = resolve
      void this.#idle.then(() => resolve(undefined))
    })
    const isIdle = timeout === undefined
    const late = ({ name }: { readonly name: string }) =>
      new ThreadwiseError('TW_ERR_CLOSED', { late: true, task: name, timeout })
    if (!isIdle) this.#failing = events.failAll(late)
    await events.end(isIdle ? 'close' : 'terminate')
    await this.#failing
    if (this.state === 'closing') this.state = 'closed'
  }
}

// Keeps the process alive while there is something to wait for, and not a moment longer.
//
// Workers are never referenced: a pool that nobody uses must not keep a program from ending. One timer per pool is, while
// tasks are open. Referencing a timer is a counter in JavaScript; referencing a worker is a call into the runtime.

export interface KeepAlive {
  set(needed: boolean): void
  end(): void
}

export function createKeepAlive(): KeepAlive {
  let timer: ReturnType<typeof repeat> | undefined
  let isReferenced = false
  return {
    set(needed) {
      if (needed === isReferenced) return
      isReferenced = needed
      timer ??= repeat(() => {}, LONGEST_TIMER_MS)
      if (needed) timer.ref()
      else timer.unref()
    },
    end() {
      stopRepeating(timer)
    },
  }
}
