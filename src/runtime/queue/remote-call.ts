// One call that a store carries to a worker, and how its caller may end it early.

import { createHash } from 'node:crypto'
import { ThreadwiseError } from '../../errors/errors.js'
import { listenerOf, type CallListener, type CallOptions } from '../core/call-listener.js'
import type { CallTiming } from '../core/observer.js'
import { onAbort } from '../executor/on-abort.js'
import { startTimer } from '../../primitives/timers.js'
import { writeText } from '../wire/as-text.js'
import { writeArguments } from './call-payload.js'
import { VERSION, type JobData } from './messages.js'
import { sharedId, storable } from './store-text.js'
import type { NewJob } from './store.js'

export interface RemoteCall extends Omit<NewJob, 'made'> {
  /** For how many calls of its function it stands. */
  readonly count: number
  /** Its id is the user's: others may wait for the same job, and it outlives this caller. */
  readonly isShared: boolean
  readonly listener: CallListener | undefined
  timing: CallTiming | undefined
  /** 0: not yet. */
  made: number
  /** It was sent without an answer: the store may have had it. */
  isInDoubt: boolean
  /** The store has taken it; and its job is that of this call, where its id is the user's. */
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
  readonly isEach: boolean
  readonly retries: number
  readonly maxPayload: number
  readonly keepResults: number
  readonly storeTimeout: number
}

/** @throws TW_ERR_INVALID_CALL, TW_ERR_NOT_CLONEABLE, TW_ERR_PAYLOAD_TOO_LARGE */
export function createRemoteCall(
  task: string,
  args: readonly unknown[],
  given: CallOptions | undefined,
  settings: CallSettings,
): RemoteCall {
  checkName(task)
  const { caller, number, isEach, retries, maxPayload, keepResults: keep } = settings
  const listener = given && listenerOf(given)
  const isShared = given?.id !== undefined
  const id = isShared ? sharedId(given.id) : `${caller}-${number}`
  const { timeout, gracePeriod, warnAfter, priority = 0 } = given ?? {}
  const data: JobData = {
    v: VERSION,
    ...writeArguments(task, args, { isEach, maxPayload }),
    reply: isShared ? id : caller,
    retries,
    maxPayload,
    keep,
    unseen: unseenMs(settings),
    ...(listener?.wantsProgress && { progress: true }),
    ...finite({ timeout, gracePeriod, warnAfter }),
  }
  return {
    id,
    task,
    data,
    priority,
    isShared,
    listener,
    of: isShared ? digest(task, args) : undefined,
    count: isEach ? args.length : 1,
    timing: undefined,
    made: 0,
    isInDoubt: false,
    isStored: false,
    isSettled: false,
    losses: 0,
    resolve() {},
    reject() {},
    releases: [],
  }
}

/** Characters; the worker knows which names there are. */
const MAX_NAME = 1000

function checkName(task: string): void {
  if (task.length <= MAX_NAME && storable(task) === task) return
  const expected = `the name of a task that a store can keep: whole letters, no NUL, at most ${MAX_NAME}`
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call: 'run()', expected, received: task })
}

/** Milliseconds for which a caller may be cut off from the store: longer than he waits for it, where he waits for a day at most. */
function unseenMs({ storeTimeout }: CallSettings): number {
  return Math.max(MIN_UNSEEN_MS, Math.min(storeTimeout, DAY_MS) + MIN_UNSEEN_MS / 2)
}

const MIN_UNSEEN_MS = 60_000
const DAY_MS = 24 * 3600 * 1000

/** Of what is asked for, and not by whom: without contexts. */
function digest(task: string, args: readonly unknown[]): string {
  return createHash('sha256')
    .update(`${task}\0${writeText(args)}`)
    .digest('base64url')
    .slice(0, 22)
}

export interface CallEndings {
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
  /** queueTimeout has passed. */
  readonly onLate: () => void
}

export function watchRemoteCall(
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
