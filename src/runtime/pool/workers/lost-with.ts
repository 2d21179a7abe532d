// Whether a call may have run in a worker that has died: only what surely has not may be given to another one.

import type { Call } from '../calls/call.js'
import type { Channel, HeldCall } from './worker.js'

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
function mayHaveStarted(call: Call, channel: Channel): boolean {
  if (call.position < 0) return false
  if (!call.placement!.isSent) return true // it said so
  if (call.options.isFork) return true // these are not counted
  const started = channel.startedCalls?.()
  return started === undefined || ((call.position - started) | 0) < 0
}
