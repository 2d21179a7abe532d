// One call of the local pool, from acceptance to the end of its promise.

import type { Cancellation } from '../executor/cancellation.js'
import type { Enter } from '../task/define-context.js'
import type { AbortableContext } from '../task/task-context.js'
import type { CallOptions } from './call-listener.js'
import type { ListenedCall } from './local-listener.js'

export interface LocalCall {
  readonly name: string
  /** Empty once it has settled: the queue must not hold what the caller gave. */
  args: readonly unknown[]
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  watch: Cancellation | undefined
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

/** Somebody may end it early. */
export function isWatched(options: CallOptions | undefined): options is CallOptions {
  if (options === undefined) return false
  return options.signal !== undefined || options.timeout !== undefined || options.queueTimeout !== undefined
}

export const blankCall = {
  watch: undefined,
  context: undefined,
  listened: undefined,
  enter: undefined,
  hasStarted: false,
  hasThrown: false,
  isSettled: false,
}
