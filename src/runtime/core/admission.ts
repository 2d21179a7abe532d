// Admission to a pool whose queue is bounded: what happens to a call that comes when no place is free.
//
//   run() --> room? --> pool
//              \-- no: reject | discard | discard-oldest | wait in line --> pool, when there is room
//                      caller-runs: the caller's own thread, if it runs no other call; else wait in line --> whichever has room first
//
// Callers in the line were not accepted yet: close() and destroy() send them away. Who leaves it without a place counts as a call that was accepted
// and has ended.

import { ThreadwiseError } from '../../errors/errors.js'
import type { RunOptions } from '../executor/executor.js'
import { onAbort } from '../executor/on-abort.js'
import { NO_OPTIONS, type WhenFull } from '../executor/shared-options.js'
import type { Submit } from '../executor/submit.js'
import { rejectLater } from '../executor/caller-stack.js'
import { machineNow } from '../wire/machine-clock.js'
import { STOPPED, type CallOptions } from './call-listener.js'
import { asCallsOf, mapNow } from '../executor/calls-of-a-map.js'
import { isForTaskOf } from './for-task.js'
import { inSlices } from './in-slices.js'
import type { Observer } from './observer.js'
import { enterLater } from '../task/async-scope.js'
import { startTimer, stopTimer } from '../../primitives/timers.js'

/** What a pool with a bounded queue offers. */
export interface Admitting {
  /** Open calls. */
  readonly busy: number
  /** Calls that may run at a time, those that wait on promises included. */
  readonly places: number
  /** It takes calls; otherwise it says why not by itself. */
  readonly isOpen: boolean
  /** Gives up the call that has waited longest, of those of the lowest priority. False: none waits. */
  discardOldest(makeReason: (task: { readonly name: string }) => unknown): boolean
  /** Called when there may be room. */
  onRoom: (() => void) | undefined
  readonly submit: Submit
}

/** Runs one call at a time, as a caller that runs its own task makes no other call meanwhile. */
export interface CallerThread {
  readonly submit: Submit
  readonly isBusy: boolean
  /** Called when it is free again. */
  onFree: (() => void) | undefined
}

export interface AdmissionOptions {
  readonly maxQueue: number
  readonly whenFull: WhenFull
  /** The caller's own thread. */
  readonly here: CallerThread
  readonly observer?: Observer | undefined
}

export interface Admission {
  readonly submit: Submit
  /** Waits for room, whatever `whenFull` says: for callers that bound themselves. */
  readonly submitWhenRoom: Submit
  /** Calls that were turned away. */
  readonly refused: number
  /** A call that is made now is accepted, and no other waits for that. */
  readonly hasRoom: () => boolean
  /** Resolves when there is, or when the pool takes no more calls. */
  readonly whenRoom: () => Promise<void>
  /** Those that have left the line without a place. */
  readonly left: Readonly<Record<'failed' | 'cancelled', number>>
  /** Resolves when all who waited have left, once the pool takes no more calls. */
  empty(): Promise<void>
}

export function admit(pool: Admitting, { maxQueue, whenFull, here, observer }: AdmissionOptions): Admission {
  const isFull = () => pool.busy >= pool.places + maxQueue
  const line = createLine(pool, { isFull, here, observer })
  const room = watchRoom(pool, () => !isFull() && line.isEmpty, observer)
  let refused = 0
  const refuse = (error: ThreadwiseError) => (refused++, Promise.reject(error))
  const discarded = (task: string, which: string) =>
    new ThreadwiseError('TW_ERR_DISCARDED', { task, maxQueue, which })
  const answers: Record<WhenFull, Submit> = {
    reject: (task) => refuse(new ThreadwiseError('TW_ERR_QUEUE_FULL', { task, maxQueue })),
    discard: (task) => refuse(discarded(task, 'newest')),
    'discard-oldest': (task, args, options) => {
      // None waits: all places are taken by calls that run, and maxQueue is 0.
      if (!pool.discardOldest(({ name }) => discarded(name, 'oldest')))
        return answers.discard(task, args, options)
      return pool.submit(task, args, options)
    },
    'caller-runs': (...call) =>
      here.isBusy || !line.isEmpty ? line.join(...call, true) : here.submit(...call),
    wait: line.join,
  }
  const through =
    (answer: Submit, then: WhenFull): Submit =>
    (name, args, options) => {
      if (!pool.isOpen || options?.signal?.aborted || isForTaskOf(pool))
        return pool.submit(name, args, options)
      if (!isFull() && line.isEmpty) return pool.submit(name, args, options)
      room.onFull()
      observer?.onFull(name, maxQueue, then)
      return answer(name, args, options)
    }
  return {
    submit: through(answers[whenFull], whenFull),
    submitWhenRoom: through(line.join, 'wait'),
    empty: line.empty,
    left: line.left,
    whenRoom: room.wait,
    hasRoom: room.isThere,
    get refused() {
      return refused
    },
  }
}

/** Tells those who make no call before there is room. */
function watchRoom(pool: Admitting, isRoom: () => boolean, observer: Observer | undefined) {
  const letIn = pool.onRoom!
  let waiting: (() => void)[] = []
  let wasFull = false
  const isThere = () => pool.isOpen && isRoom()
  pool.onRoom = () => {
    letIn()
    if ((!wasFull && waiting.length === 0) || (pool.isOpen && !isRoom())) return
    if (wasFull && pool.isOpen) observer?.onRoom()
    wasFull = false
    const told = waiting
    waiting = []
    for (const tell of told) tell()
  }
  return {
    onFull: () => (wasFull = true),
    wait: () =>
      isThere() || !pool.isOpen ? Promise.resolve() : new Promise<void>((resolve) => waiting.push(resolve)),
    isThere,
  }
}

interface Waiter {
  /** Its call may be run by the caller's own thread. */
  readonly isForHere: boolean
  enter(submit: Submit): void
  /** The pool takes no more calls, and says why. */
  sendAway(): void
}

type Leaving = 'failed' | 'cancelled'

/** Callers that wait for room, in their order. */
function createLine(pool: Admitting, { isFull, here, observer }: LineOptions) {
  const waiters = new Set<Waiter>()
  const left = { failed: 0, cancelled: 0 }
  const letIn = createDoor(waiters, pool, { isFull, here })
  let emptied: Promise<void> | undefined
  const sendAway = () => (emptied ??= inSlices([...waiters], (waiter) => waiter.sendAway()))
  pool.onRoom = here.onFree = () => void (pool.isOpen ? letIn() : sendAway())
  const join: Join = (...call) =>
    new Promise((resolve, reject) => waitInLine({ waiters, left, pool, observer }, call, { resolve, reject }))
  return {
    join,
    left,
    get isEmpty() {
      return waiters.size === 0
    },
    empty: () => emptied ?? Promise.resolve(),
  }
}

type Join = (...call: [...Parameters<Submit>, isForHere?: boolean]) => Promise<unknown>

interface Line {
  readonly waiters: Set<Waiter>
  readonly left: Record<Leaving, number>
  readonly pool: Admitting
  readonly observer: Observer | undefined
}

interface Settling {
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
}

function waitInLine(
  { waiters, left, pool, observer }: Line,
  [name, args, options, isForHere = false]: Parameters<Join>,
  { resolve, reject }: Settling,
): void {
  const since = machineNow()
  const inContexts = enterLater()
  const leave = (settle: () => void) => {
    stopTimer(timer)
    stopListening?.()
    waiters.delete(waiter)
    settle()
  }
  const end = (outcome: Leaving, settle: () => void) =>
    leave(() => {
      left[outcome]++
      inContexts(() => observer?.endAtOnce(name, outcome))
      settle()
    })
  const giveUp = (outcome: Leaving, reason: unknown) => end(outcome, () => reject(reason))
  const { signal, queueTimeout, listener } = (options ?? NO_OPTIONS) as CallOptions
  const stopListening = signal && onAbort(signal, () => giveUp('cancelled', signal.reason))
  const giveUpLate = () => end('failed', () => resolve(lateInQueue(name, queueTimeout)))
  const timer = queueTimeout === undefined ? undefined : startTimer(queueTimeout, giveUpLate)
  const fail = (reason: unknown) => giveUp('failed', reason)
  listener?.connect({ grant() {}, stop: () => giveUp('cancelled', STOPPED), fail })
  // One that has left by itself meanwhile is in the line no more.
  const { onCall } = mapNow
  onCall?.((reason) => waiters.has(waiter) && giveUp('cancelled', reason))
  const make = (submit: Submit) => asCallsOf(onCall, () => submit(name, args, remaining(options, since)))
  const enter = (submit: Submit) =>
    waiters.has(waiter) && leave(() => resolve(inContexts(() => make(submit))))
  const sendAway = () => waiters.has(waiter) && end('failed', () => resolve(pool.submit(name, args, options)))
  const waiter = { isForHere, enter, sendAway }
  waiters.add(waiter)
}

function lateInQueue(task: string, timeout: number | undefined): Promise<never> {
  return rejectLater(() => new ThreadwiseError('TW_ERR_QUEUE_TIMEOUT', { task, timeout }))
}

interface Rooms {
  readonly isFull: () => boolean
  readonly here: CallerThread
}

interface LineOptions extends Rooms {
  readonly observer: Observer | undefined
}

/** Lets callers in, the first ones first, as many as there is room for: in the pool, or else in the caller's own thread. */
function createDoor(waiters: Set<Waiter>, pool: Admitting, { isFull, here }: Rooms): () => void {
  let isLetting = false
  return () => {
    // A call that ends at once makes room again, inside enter(): frames for each caller in the line.
    if (isLetting) return
    isLetting = true
    for (const waiter of waiters) {
      const isRoom = !isFull()
      if (!isRoom && (!waiter.isForHere || here.isBusy)) break
      waiter.enter(isRoom ? (...call) => pool.submit(...call) : here.submit)
    }
    isLetting = false
  }
}

/** The time in the line is time in the queue. */
function remaining(options: RunOptions | undefined, since: number): RunOptions | undefined {
  if (options?.queueTimeout === undefined) return options
  return { ...options, queueTimeout: Math.max(0, options.queueTimeout - (machineNow() - since)) }
}
