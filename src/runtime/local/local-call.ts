// One call of the local pool, from acceptance to the end of its promise.
//
//   waits --> started --> settled
//      \_______________/^        (cancelled, timed out, discarded, or the pool was destroyed)
//
// It waits for the module, or for room. A started call that is settled early keeps its place until its function has ended.

import type { Cancellation } from '../executor/cancel-or-timeout.js'
import { enterLater, type Enter } from '../task/async-scope.js'
import { type AbortableContext, registry } from '../task/task-context.js'
import { type CallOptions, STOPPED, type CallControl, type CallListener } from '../core/call-listener.js'
import type { OpenCall } from '../core/open-calls.js'
import { StreamProducer, type ItemSink } from '../task/stream-producer.js'
import type { Stop } from '../task/stop.js'
import type { TaskFunction } from '../task/task-function.js'
import { nextTurn, startTimer, stopTimer, type Timer } from '../../primitives/timers.js'

export interface LocalCall extends OpenCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (reason: unknown) => void
  watch: Cancellation | undefined
  context: AbortableContext | undefined
  /** Of a call that tells its caller of items or progress. */
  listened: ListenedCall | undefined
  /** Into the contexts of its caller, for a call that has waited. */
  enter: Enter | undefined
  /** Of a call for many inputs. */
  stop: Stop | undefined
  hasStarted: boolean
  /** Its function has thrown; it was not refused, cancelled or given up. */
  hasThrown: boolean
}

/** Somebody may end it early, or wants to be told when it takes long. */
export function isWatched(options: CallOptions | undefined): options is CallOptions {
  if (options === undefined) return false
  const { signal, timeout, queueTimeout, warnAfter } = options
  return [signal, timeout, queueTimeout, warnAfter].some((option) => option !== undefined)
}

export const blankCall = {
  watch: undefined,
  timing: undefined,
  context: undefined,
  listened: undefined,
  enter: undefined,
  stop: undefined,
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

// A call in the caller's own thread that tells its caller of items or progress: without messages, and nothing is copied.

export interface ListenedCallOptions {
  readonly name: string
  readonly listener: CallListener
  readonly gracePeriod: number
  /** Settles the call with a reason, and cancels its task. */
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
}

export class ListenedCall {
  readonly #options: ListenedCallOptions
  readonly #producer: StreamProducer | undefined
  #context: AbortableContext | undefined
  /** Items are drawn when somebody reads them, in whichever contexts that is. */
  readonly #inContexts = enterLater()
  #hasStarted = false
  #isOver = false
  #timer: Timer

  constructor(options: ListenedCallOptions) {
    this.#options = options
    const { name: task, listener } = options
    if (listener.isStream)
      this.#producer = new StreamProducer({
        task,
        credit: listener.window,
        sink: sinkTo(listener),
        enter: this.#enter,
      })
    listener.connect(this.#control)
  }

  /** Calls the task. Of a stream it gives the promise of its end. */
  invoke(task: TaskFunction, args: readonly unknown[], context: AbortableContext | undefined): unknown {
    this.#hasStarted = true
    this.#context = context
    const { listener } = this.#options
    if (context && listener.wantsProgress)
      context.report = (value) => void (this.#isOver || listener.progress(value))
    const call = () => task(...args) as unknown
    return this.#producer ? this.#producer.run(call) : this.#enter(call)
  }

  /** The call has settled. */
  end(): void {
    this.#isOver = true
    stopTimer(this.#timer)
    this.#producer?.stop()
  }

  readonly #enter = <R>(code: () => R): R => {
    return this.#inContexts(() => (this.#context ? registry.storage!.run(this.#context, code) : code()))
  }

  readonly #control: CallControl = {
    grant: (count) => this.#producer?.grant(count),
    stop: () => {
      const { gracePeriod, giveUp } = this.#options
      const end = () => giveUp(STOPPED, 'cancelled')
      if (!this.#hasStarted) return end()
      this.#timer = startTimer(gracePeriod, end) // referenced: somebody waits for it
      this.#context?.abort(STOPPED)
      this.#producer?.stop()
    },
    fail: (reason) => this.#options.giveUp(reason, 'failed'),
  }
}

function sinkTo(listener: CallListener): ItemSink {
  return {
    runs() {},
    keep: (value) => value,
    isImmediate: true,
    send: (items) => void (items.length > 0 && listener.items(items)),
    defer: (callback) => void nextTurn(callback),
  }
}
