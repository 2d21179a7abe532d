// What the primary asks an instance, and what it hears from it.

import type { FromInstance, ToInstance } from '../contract/instance-messages.js'

export type Heard = FromInstance | 'ready' | 'listening'

export class Conversation {
  readonly #post: (message: ToInstance) => void
  readonly #hears = new Map<string, (message: Heard) => void>()
  readonly #heard = new Set<string>()
  /** Questions without an answer. */
  readonly #open = new Set<(message: Heard | undefined) => void>()
  #isOver = false

  constructor(post: (message: ToInstance) => void) {
    this.#post = post
  }

  /** The next message of this kind; at once when it has come before anybody waited. */
  next(kind: string): Promise<Heard> {
    return new Promise((resolve) => {
      if (this.#heard.delete(kind)) return resolve(kind as 'ready' | 'listening')
      this.#hears.set(kind, resolve)
    })
  }

  hear(kind: string, message: Heard): void {
    const hear = this.#hears.get(kind)
    this.#hears.delete(kind)
    if (hear) hear(message)
    else this.#heard.add(kind)
  }

  /** What was heard of this kind before does not count. */
  forget(kind: string): void {
    this.#heard.delete(kind)
  }

  /** Resolves at the answer; with undefined at the end of the instance, or after the limit. */
  async ask(question: ToInstance, answer: string, limitMs: number): Promise<Heard | undefined> {
    if (this.#isOver) return undefined
    this.forget(answer) // one that came too late
    // Not a race with a promise of the end: each would stay in memory until then.
    let resolve!: (message: Heard | undefined) => void
    const first = new Promise<Heard | undefined>((settle) => (resolve = settle))
    this.#open.add(resolve)
    void this.next(answer).then(resolve)
    // What has arrived while this process was busy is read between the two.
    const late = () => setImmediate(() => setImmediate(() => resolve(undefined)))
    const timer = setTimeout(late, limitMs)
    this.#post(question)
    const message = await first
    clearTimeout(timer)
    this.#open.delete(resolve)
    return message
  }

  /** The instance is gone. */
  end(): void {
    this.#isOver = true
    for (const resolve of this.#open) resolve(undefined)
  }
}
