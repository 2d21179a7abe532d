// Which of the calls that a worker was sent have begun there.
//
// Threads count the calls that they begin in shared memory. Where there is none (processes, pages) the first call of each message is announced:
// once it has begun, so do the others of its message, one after the other. Forks are not counted, so they are announced on threads too. Also to
// a worker that is busy: what it is at may keep its thread when it has answered, and what was sent meanwhile would seem to compute for ever.

import type { Call } from '../calls/call.js'
import type { Channel, HeldCall } from './worker.js'

export class BegunCalls {
  readonly #channel: Channel
  /** Messages whose first call has not begun, as far as the pool has read: its number, and that of the last one. They fall within a message. */
  readonly #announced = new Map<number, number>()

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** The call is the first of a message: whether it is to say that it begins. */
  needsAnnouncement({ options }: Call): boolean {
    return options.isFork || this.#channel.startedCalls === undefined
  }

  /** A message with these calls was sent, the first of which is announced. */
  noteSent(sent: readonly { readonly call: Call }[]): void {
    this.#announced.set(sent[0]!.call.id, sent.at(-1)!.call.id)
  }

  /** The worker has told something of this call. */
  noteReply(id: number): void {
    if (this.#announced.size > 0) this.#announced.delete(id)
  }

  /** It surely has not. */
  hasNotBegun({ id, position, options, placement }: Call): boolean {
    if (position < 0 || !placement!.isSent || placement!.hasStarted) return false // of one that was not sent it has told
    for (const [first, last] of this.#announced) if (id <= first && id >= last) return true
    const started = options.isFork ? undefined : this.#channel.startedCalls?.()
    return started !== undefined && ((position - started) | 0) >= 0
  }
}

// Whether a call may have run in a worker that has died: only what surely has not may be given to another one.

interface DeadWorker {
  readonly channel: Channel
  /** Calls that it was sent or has told of. */
  readonly running: ReadonlyMap<number, Call>
  /** Of one that gave no sign of life, before it was ended: a call that was announced, and has not been said to begin, surely has not. */
  readonly hasNotBegun: ((call: Call) => boolean) | undefined
}

/** The calls that a worker has died over: `held`, which it had from the shared queue, and those that it was sent or has told of. */
export function lostWith(
  { running, channel, hasNotBegun }: DeadWorker,
  held: readonly HeldCall[],
): readonly HeldCall[] {
  const sent = [...running.values()]
    .filter((call) => !held.some((other) => other.call === call))
    .map((call) => ({ call, mayHaveStarted: !hasNotBegun?.(call) && mayHaveStarted(call, channel) }))
  return [...held, ...sent]
}

/**
 * Of the calls that a worker was sent, or has told of, those that have started there. Where the runtime cannot tell, that is the first one of those
 * that do not wait: a thread runs one at a time.
 */
export function startedOf(running: Iterable<Call>, channel: Channel): Call[] {
  const sent = [...running].filter(({ position }) => position >= 0)
  if (channel.startedCalls?.() !== undefined) return sent.filter((call) => mayHaveStarted(call, channel))
  const first = sent.find(({ placement }) => !placement?.isSuspended)
  return sent.filter((call) => call === first || call.placement?.isSuspended)
}

/** Where the runtime cannot tell, every call that was sent may have. */
export function mayHaveStarted(call: Call, channel: Channel): boolean {
  if (call.position < 0) return false
  if (!call.placement!.isSent) return true // it said so
  if (call.options.isFork) return true // these are not counted
  const started = channel.startedCalls?.()
  return started === undefined || ((call.position - started) | 0) < 0
}
