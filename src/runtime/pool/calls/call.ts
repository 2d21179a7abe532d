// One accepted call, from acceptance to the end of its promise.
//
//   queued --> sent --> settled
//      \_________________/          (cancelled, or the pool was destroyed)
//
// A sent call may settle before its worker has answered (cancelled, timed out); its late reply is dropped.

import type { Cancellation } from '../../executor/cancel-or-timeout.js'
import type { Transferable } from '../../executor/executor.js'
import { REPLY_WAITING, type CreditMessage } from '../../wire/messages.js'
import type { WorkerIdentity } from '../../executor/stats.js'
import { listenerOf, type CallListener, type CallOptions, NO_ARGS } from '../../core/call-listener.js'
import { NO_OPTIONS } from '../../executor/shared-options.js'
import { hashOf } from '../../../primitives/hash.js'
import { contexts, contextValues } from '../../task/define-context.js'
import type { OpenCall } from '../../core/open-calls.js'
import { TaskCost } from './task-cost.js'

/** What a caller asked for beside the call itself. */
export interface ResolvedCallOptions {
  /** The arguments are inputs of as many calls, which travel as one. */
  readonly isEach: boolean
  /** By a task, with task.fork: it passes all that holds other calls back; see fork-calls.ts. */
  readonly isFork: boolean
  /** Before the arguments stand the values of the caller's contexts. */
  readonly hasContext: boolean
  /** Only one worker may run it: that of the lane which this is, modulo the number of lanes. */
  readonly lane: number | undefined
  /** All lanes get one like it: of a worker and the one that takes over its lane, it is for the latter. */
  readonly isForAll: boolean
  /** It cannot go by shared memory: something is transferred, somebody listens, or it is a fork. */
  readonly needsMessage: boolean
  /** Undefined, too, once the call has settled: see `args`. */
  transfer: readonly Transferable[] | undefined
  /** Among the calls that wait; 0 is the usual one. */
  readonly priority: number
  /** Ask the worker to say when the call starts: it may be cancelled or time out. */
  readonly announceStart: boolean
  readonly gracePeriod: number
  /** Who is told of items and progress. Such calls go by message. */
  readonly listener: CallListener | undefined
  /** The watch over signal and timeout. */
  watch: Cancellation | undefined
  /** Why its caller has given it up. */
  cancelReason: unknown
}

/** The worker that holds a call, as far as the call is concerned. */
export interface CallHolder {
  readonly view: {
    readonly identity: WorkerIdentity
    captureStack(): Promise<string | undefined>
  }
  /** Nobody waits for the call any more. */
  cancel(call: Call, reason: unknown): void
  /** Lets a stream go on. */
  grant(message: CreditMessage): void
  /** Ends a stream early. False: the worker does not have it. */
  stop(call: Call): boolean
}

/** The workers that may run a call, and the queue in which it waits for them. */
export interface CallGroup {
  /** Calls that it has taken and that are not settled. */
  open: number
  /** Those of them that wait on promises in a worker: nobody waits for them. */
  suspended: number
  /** Takes a new call: it leaves at once, where none waits. */
  take(call: Call): void
  /** Plans a look at what waits. */
  readonly pumpLater: () => void
  /** Takes a call back that no worker has. False: one has it, or had it, and has not said so. */
  withdraw(call: Call): boolean
  /** A worker has died over it, and it is to be tried again. */
  isQuarantined(call: Call): boolean
  /** It has settled. */
  drop(call: Call): void
}

/** A call that was sent to one worker, or of which one has told that it runs or waits: then it took it from the shared queue. */
export interface Placement {
  readonly slot: CallHolder
  /** By message. */
  readonly isSent: boolean
  readonly cost: TaskCost
  /** Microseconds charged to the worker for this call. */
  readonly chargedUs: number
  /** The worker has announced its start (only with announceStart). */
  hasStarted: boolean
  isWaiting: boolean
  /** It lets others in meanwhile. */
  isAway: boolean
  /** It has waited: it is no work that a queue could hold back; a stream waits between its items. */
  isSuspended: boolean
  /** Settled long ago, while its promise in the worker is still open. */
  isAbandoned: boolean
}

/** Small, since a caller may make a hundred thousand calls at once: what few calls need stands in objects of its own. */
export interface Call extends OpenCall {
  /** Given by whoever holds it, for the messages about it. */
  id: number
  readonly options: ResolvedCallOptions
  readonly group: CallGroup
  /** Of its promise, which holds the result; without it once the call has settled. */
  resolve: (value: unknown) => void
  /** It is in the pool's own queue. */
  isQueued: boolean
  /** Its message, or another one beside it, has ended a worker. */
  mayBeUnreadable: boolean
  /** Position in the shared queue, or in the order in which its worker received calls; -1 while it has none. */
  position: number
  /** What its arguments became, kept here by the shared queue: buffers that it names; their Carriage; or why they cannot be sent. */
  written: object | undefined
  /** Undefined while no worker is known to hold it. */
  placement: Placement | undefined
}

const DEFAULT_GRACE_MS = 1000

// Options and a call (below) in which each field that may change, or hold another kind of value, does so before all others. What V8 compiles relies
// on fields that never have, in no object of this hidden class, and is thrown away with the first call that has a timeout, waits on a promise, or is
// sent by message.
Object.assign(resolveCallOptions(NO_OPTIONS), {
  isEach: true,
  isFork: true,
  hasContext: true,
  lane: 0,
  isForAll: true,
  needsMessage: true,
  transfer: [],
  priority: 1,
  announceStart: true,
  gracePeriod: 0.5, // no small integer, as Infinity is none
  listener: {},
  watch: {},
  cancelReason: {},
})

// Of calls without options. Neither frozen nor spread from each other: all options are of one hidden class, or the first call with other
// options would make V8 throw away most of what it has compiled.
const PLAIN_OPTIONS = resolveCallOptions(NO_OPTIONS)
const CONTEXT_OPTIONS = resolveCallOptions(NO_OPTIONS, { hasContext: true })
export const EACH_OPTIONS: ResolvedCallOptions = resolveCallOptions(NO_OPTIONS, { isEach: true })
const EACH_CONTEXT_OPTIONS = resolveCallOptions(NO_OPTIONS, { isEach: true, hasContext: true })

/** What calls from the shared queue cost is of no interest: workers take them by themselves. */
const UNKNOWN_COST = new TaskCost()

export function createCall(
  group: CallGroup,
  name: string,
  args: readonly unknown[],
  options: ResolvedCallOptions,
): Call {
  const values = contexts.count === 0 ? undefined : contextValues()
  if (values) return newCall(group, name, [values, ...args], withContext(options))
  return newCall(group, name, args, options)
}

function newCall(
  group: CallGroup,
  name: string,
  args: readonly unknown[],
  options: ResolvedCallOptions,
): Call {
  return {
    id: -1,
    name,
    args,
    options,
    group,
    resolve: noResolve,
    isSettled: false,
    isQueued: false,
    mayBeUnreadable: false,
    position: -1,
    written: undefined,
    timing: undefined,
    placement: undefined,
  }
}

// See the options above: the first call, before V8 compiles what reads such objects.
Object.assign(newCall({} as CallGroup, '', [], PLAIN_OPTIONS), {
  id: 0,
  args: NO_ARGS,
  resolve() {},
  isSettled: true,
  isQueued: true,
  mayBeUnreadable: true,
  position: 0,
  written: {},
  timing: {},
  placement: {},
})

/** For how many calls of its function it stands. Of inputs that travel together, before which the values of contexts may stand: one each. */
export function callsIn({ args, options }: Call): number {
  if (!options.isEach) return 1
  return Math.max(1, args.length - (options.hasContext ? 1 : 0)) // 1: it has settled before, and holds no arguments any more
}

function withContext(options: ResolvedCallOptions): ResolvedCallOptions {
  if (options === PLAIN_OPTIONS) return CONTEXT_OPTIONS
  if (options === EACH_OPTIONS) return EACH_CONTEXT_OPTIONS
  return Object.assign(options, { hasContext: true }) // the call's own
}

export function callOptions(options: CallOptions | undefined): ResolvedCallOptions {
  return options === undefined ? PLAIN_OPTIONS : resolveCallOptions(options)
}

/** Of a call for many inputs. */
export function eachOptions(options: CallOptions | undefined): ResolvedCallOptions {
  return options === undefined ? EACH_OPTIONS : resolveCallOptions(options, { isEach: true })
}

export function forkOptions(options: CallOptions | undefined): ResolvedCallOptions {
  return resolveCallOptions(options ?? NO_OPTIONS, { isFork: true, needsMessage: true })
}

/** For the worker in this lane, of calls that all workers get. */
export function laneOptions(options: CallOptions | undefined, lane: number): ResolvedCallOptions {
  return resolveCallOptions(options ?? NO_OPTIONS, { lane, isForAll: true })
}

/** `own`: what differs from what the options say. */
function resolveCallOptions(raw: CallOptions, own?: Partial<ResolvedCallOptions>): ResolvedCallOptions {
  const { transfer, signal, timeout, queueTimeout, gracePeriod, key, priority = 0, warnAfter } = raw
  const listener = listenerOf(raw)
  const options: ResolvedCallOptions = {
    isEach: false,
    isFork: false,
    hasContext: false,
    lane: key === undefined ? undefined : hashOf(String(key)),
    isForAll: false,
    needsMessage: (transfer?.length ?? 0) > 0 || listener !== undefined,
    transfer: transfer?.length ? transfer : undefined,
    priority,
    announceStart:
      signal !== undefined ||
      timeout !== undefined ||
      queueTimeout !== undefined ||
      warnAfter !== undefined ||
      listener !== undefined,
    gracePeriod: gracePeriod ?? DEFAULT_GRACE_MS,
    listener,
    watch: undefined,
    cancelReason: undefined,
  }
  return own ? Object.assign(options, own) : options
}

/** `cost`: of a call that is sent, and charged to the worker. */
export function place(call: Call, slot: CallHolder, cost?: TaskCost): Placement {
  const placement = {
    slot,
    isSent: cost !== undefined,
    cost: cost ?? UNKNOWN_COST,
    chargedUs: cost ? cost.expectedUs : 0,
    hasStarted: false,
    isWaiting: false,
    isAway: false,
    isSuspended: false,
    isAbandoned: false,
  }
  call.placement = placement
  return placement
}

/** A worker says when a call that is timed has started, or, as a negative number, when its function has returned. */
export function noteStart(call: Call, at: number, workerId: number): void {
  const { timing } = call
  if (!timing) return
  if (at < 0) {
    timing.busyMs = -at - timing.startedAt
    return
  }
  timing.startedAt = at
  timing.workerId = workerId
}

/** A worker says by message for how many microseconds the call has kept its thread busy. */
export function noteBusy({ timing, placement }: Call, kind: number, us: number): void {
  placement!.cost.record(us)
  placement!.cost.isAsync = kind === REPLY_WAITING
  if (!timing) return
  timing.wentByMessage = true
  if (kind !== REPLY_WAITING) timing.busyMs = us / 1000
}

/** Until its promise exists, and once it has settled. */
export function noResolve(): void {}
