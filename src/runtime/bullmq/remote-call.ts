// One call that a store carries to a worker, and how its caller may end it early.

import { listenerOf, type CallListener, type CallOptions } from '../core/call-listener.js'
import type { CallTiming } from '../core/observer.js'
import { onAbort } from '../executor/on-abort.js'
import { startTimer } from '../../primitives/timers.js'
import { writeArguments } from './call-payload.js'
import { VERSION, type JobData } from './messages.js'
import type { NewJob } from './store.js'

export interface RemoteCall extends NewJob {
  /** For how many calls of its function it stands. */
  readonly count: number
  /** Its id is the user's: others may wait for the same job, and it outlives this caller. */
  readonly isShared: boolean
  readonly listener: CallListener | undefined
  timing: CallTiming | undefined
  /** The store has taken it. */
  isStored: boolean
  isSettled: boolean
  /** How often the store has lost it. */
  losses: number
  resolve: (value: unknown) => void
  reject: (reason: unknown) => void
  /** Ends what waits for it besides. */
  readonly releases: (() => void)[]
}

export interface CallSettings {
  readonly number: number
  /** Of the caller. */
  readonly caller: string
  /** Where messages about a job arrive. */
  readonly channelOf: (caller: string) => string
  readonly isEach: boolean
  readonly retries: number
  readonly maxPayload: number
}

/** @throws TW_ERR_NOT_CLONEABLE, TW_ERR_PAYLOAD_TOO_LARGE */
export function createCall(
  task: string,
  args: readonly unknown[],
  given: CallOptions | undefined,
  settings: CallSettings,
): RemoteCall {
  const { caller, number, isEach, channelOf, retries, maxPayload } = settings
  const listener = given && listenerOf(given)
  const isShared = given?.id !== undefined
  const id = isShared ? sharedId(given.id) : `${caller}-${number}`
  const { timeout, gracePeriod, warnAfter, priority = 0 } = given ?? {}
  const data: JobData = {
    v: VERSION,
    ...writeArguments(task, args, { isEach, maxPayload }),
    reply: channelOf(isShared ? id : caller),
    ...{ retries, maxPayload },
    ...(listener?.wantsProgress && { progress: true }),
    ...finite({ timeout, gracePeriod, warnAfter }),
  }
  return {
    ...{ id, task, data, priority, isShared, listener },
    count: isEach ? args.length : 1,
    ...{ timing: undefined, isStored: false, isSettled: false, losses: 0 },
    ...{ resolve() {}, reject() {}, releases: [] },
  }
}

export interface CallEndings {
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
  /** queueTimeout has passed. */
  readonly onLate: () => void
}

export function watchCall(
  { releases, listener }: RemoteCall,
  options: CallOptions | undefined,
  { giveUp, onLate }: CallEndings,
): void {
  const { signal, queueTimeout } = options ?? {}
  if (signal) releases.push(onAbort(signal, () => giveUp(signal.reason, 'cancelled')))
  if (queueTimeout !== undefined) {
    const timer = startTimer(queueTimeout, onLate)
    releases.push(() => clearTimeout(timer))
  }
  listener?.connect({ grant() {}, stop() {}, fail: (reason) => giveUp(reason, 'failed') })
}

/** JSON has no Infinity, which is what these are without. */
function finite(times: Record<string, number | undefined>): object {
  return Object.fromEntries(Object.entries(times).filter(([, ms]) => ms !== undefined && ms < Infinity))
}

/** In letters that a store takes in an id; each other text gives another id. */
export function sharedId(id: string): string {
  return `id-${id.replace(/[^\w.@-]/gu, (letter) => `%${letter.codePointAt(0)!.toString(16)}.`)}`
}
