// The states of a service, and what it is to do later unless it ends before.
//
//   starting ──serve()──> serving ──stop()──> stopping ──> stopped   `ended` resolves
//      │                     └─────fail()───> stopping ──> failed    `ended` rejects
//      └──stop() or fail() likewise

import { ThreadwiseError } from '../../errors/errors.js'

type State = 'starting' | 'serving' | 'stopping' | 'stopped' | 'failed'

export class ServiceLife {
  /** Resolves when the service was stopped; rejects with the error with which it failed. */
  readonly ended: Promise<void>
  /** Resolves when it begins to end. */
  readonly closing: Promise<void>
  readonly #name: string
  readonly #endInstances: () => Promise<void>
  readonly #timers = new Set<NodeJS.Timeout>()
  #state: State = 'starting'
  #ending: Promise<void> | undefined
  #onClosing!: () => void
  #settle!: { resolve: () => void; reject: (error: unknown) => void }

  constructor(name: string, endInstances: () => Promise<void>) {
    this.#name = name
    this.#endInstances = endInstances
    this.closing = new Promise((resolve) => (this.#onClosing = resolve))
    this.ended = new Promise((resolve, reject) => (this.#settle = { resolve, reject }))
    this.ended.catch(() => {}) // nobody has to listen
  }

  get state(): State {
    return this.#state
  }

  get isOpen(): boolean {
    return this.#state === 'starting' || this.#state === 'serving'
  }

  /** @throws TW_ERR_SERVICE_STOPPED */
  assertOpen(): void {
    if (!this.isOpen) throw new ThreadwiseError('TW_ERR_SERVICE_STOPPED', { name: this.#name })
  }

  serve(): void {
    this.assertOpen()
    this.#state = 'serving'
  }

  /** Runs the action after the delay, unless the service ends before. */
  after(delayMs: number, action: () => void): void {
    if (!this.isOpen) return
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, delayMs)
    this.#timers.add(timer)
  }

  /** Resolves when all instances are gone. The first of stop() and fail() decides how the service ends. */
  stop(): Promise<void> {
    this.#ending ??= this.#end(() => {
      this.#state = 'stopped'
      this.#settle.resolve()
    })
    return this.#ending
  }

  fail(error: unknown): Promise<void> {
    this.#ending ??= this.#end(() => {
      this.#state = 'failed'
      this.#settle.reject(error)
    })
    return this.#ending
  }

  async #end(settle: () => void): Promise<void> {
    this.#state = 'stopping'
    this.#onClosing()
    for (const timer of this.#timers) clearTimeout(timer)
    await this.#endInstances()
    settle()
  }
}
