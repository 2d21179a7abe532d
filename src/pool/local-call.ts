// One call of the local pool, from acceptance to the end of its promise.

import { watchCancellation, type Cancellation } from '../executor/cancellation.js'
import type { Enter } from '../task/define-context.js'
import type { AbortableContext } from '../task/task-context.js'
import type { CallOptions } from './call-listener.js'
import type { ListenedCall } from './local-listener.js'
import type { CallTiming } from './observer.js'
import { warnOfLocal, warnWhenSlow } from './slow-call.js'

export interface LocalCall {
  readonly name: string
  /** Empty once it has settled: the queue must not hold what the caller gave. */
  args: readonly unknown[]
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  watch: Cancellation | undefined
  timing: CallTiming | undefined
  context: AbortableContext | undefined
  /** Of a call that tells its caller of items or progress. */
  listened: ListenedCall | undefined
  /** Back into the contexts of its caller, for a call that has waited. */
  enter: Enter | undefined
  hasStarted: boolean
  /** Its function has thrown; it was not refused, cancelled or given up. */
  hasThrown: boolean
  isSettled: boolean
}

/** Somebody may end it early, or wants to be told when it takes long. */
export function isWatched(options: CallOptions | undefined): options is CallOptions {
  if (options === undefined) return false
  const { signal, timeout, queueTimeout, warnAfter } = options
  return [signal, timeout, queueTimeout, warnAfter].some((option) => option !== undefined)
}

interface WatchOptions {
  readonly options: CallOptions
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
  /** As warnings name it. */
  readonly executor: string
}

export function watchLocal(call: LocalCall, { options, giveUp, executor }: WatchOptions): void {
  const { signal, warnAfter } = options
  const cancel = (reason: unknown) => giveUp(reason, signal?.aborted ? 'cancelled' : 'failed')
  call.watch = watchCancellation(call.name, options, cancel)
  const warn = (ranMs: number) => warnOfLocal(call.name, executor, ranMs)
  if (warnAfter !== undefined) call.watch = warnWhenSlow(call.watch, warnAfter, warn)
}

export const blankCall = {
  watch: undefined,
  timing: undefined,
  context: undefined,
  listened: undefined,
  enter: undefined,
  hasStarted: false,
  hasThrown: false,
  isSettled: false,
}

/** `result` settles by the call's resolve or reject. */
export function openCall(
  name: string,
  args: readonly unknown[],
): { call: LocalCall; result: Promise<unknown> } {
  let call!: LocalCall
  const result = new Promise<unknown>((resolve, reject) => {
    call = { ...blankCall, name, args, resolve, reject }
  })
  return { call, result }
}
