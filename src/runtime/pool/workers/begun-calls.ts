// Which of the calls that a worker was sent have begun there.
//
// Threads count the calls that they begin in shared memory. Where there is none (processes, pages) the first call of a message is announced, if
// the worker had nothing to do before: once it has begun, so do the others of its message, one after the other. Forks are not counted, so
// they are announced on threads too. Of what is sent to a worker that is busy nobody knows whether it has begun.

import type { Call } from '../calls/call.js'
import type { Channel } from './worker.js'

/** Calls of one message, which begin in the order of their numbers; these fall. */
interface Announced {
  readonly first: number
  readonly last: number
}

export class BegunCalls {
  readonly #channel: Channel
  /** Messages whose first call has not begun, as far as is known. */
  #announced: Announced[] = []

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** The call is the first of a message to a worker that has nothing to do: whether it is to say that it begins. */
  needsAnnouncement({ options }: Call): boolean {
    return options.isFork || this.#channel.startedCalls === undefined
  }

  /** A message with these calls was sent, the first of which is announced. */
  noteSent(sent: readonly { readonly call: Call }[]): void {
    this.#announced.push({ first: sent[0]!.call.id, last: sent.at(-1)!.call.id })
  }

  /** The worker has told something of this call. */
  noteReply(id: number): void {
    if (this.#announced.length > 0) this.#announced = this.#announced.filter(({ first }) => first !== id)
  }

  /** It surely has not. */
  hasNotBegun({ id, position, options, placement }: Call): boolean {
    if (position < 0 || placement!.hasStarted) return false
    if (this.#announced.some(({ first, last }) => id <= first && id >= last)) return true
    const started = options.isFork ? undefined : this.#channel.startedCalls?.()
    return started !== undefined && ((position - started) | 0) >= 0
  }
}
