// A call in the caller's own thread that tells its caller of items or progress: without messages, and nothing is copied.

import { startTimer, type Timer } from '../executor/timer.js'
import { nextTurn } from '../executor/turns.js'
import { ALONE, ItemDrawer, type ItemSink } from '../protocol/draw-items.js'
import { contexts, inOwnContexts } from '../task/define-context.js'
import { registry, type AbortableContext } from '../task/task-context.js'
import type { TaskFunction } from '../task/task-function.js'
import { STOPPED, type CallControl, type CallListener } from './call-listener.js'

export interface LocalTerms {
  readonly name: string
  readonly listener: CallListener
  readonly gracePeriod: number
  /** Settles the call with a reason, and cancels its task. */
  readonly giveUp: (reason: unknown, outcome: 'cancelled' | 'failed') => void
}

export class ListenedCall {
  readonly #terms: LocalTerms
  readonly #drawer: ItemDrawer | undefined
  #context: AbortableContext | undefined
  #hasStarted = false
  #isOver = false
  #timer: Timer

  constructor(terms: LocalTerms) {
    this.#terms = terms
    const { name: task, listener } = terms
    if (listener.isStream)
      this.#drawer = new ItemDrawer({
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
    const { listener } = this.#terms
    if (context && listener.wantsProgress)
      context.report = (value) => void (this.#isOver || listener.progress(value))
    const call = () => task(...args) as unknown
    return this.#drawer ? this.#drawer.run(call) : this.#enter(call)
  }

  /** The call has settled. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#drawer?.stop()
  }

  readonly #enter = <R>(code: () => R): R => {
    const inContext = () => (this.#context ? registry.storage!.run(this.#context, code) : code())
    return contexts.count === 0 ? inContext() : inOwnContexts(inContext)
  }

  readonly #control: CallControl = {
    grant: (count) => this.#drawer?.grant(count),
    stop: () => {
      const { gracePeriod, giveUp } = this.#terms
      const end = () => giveUp(STOPPED, 'cancelled')
      if (!this.#hasStarted) return end()
      this.#timer = startTimer(gracePeriod, end) // referenced: somebody waits for it
      this.#context?.abort(STOPPED)
      this.#drawer?.stop()
    },
    fail: (reason) => this.#terms.giveUp(reason, 'failed'),
  }
}

function sinkTo(listener: CallListener): ItemSink {
  return {
    runs() {},
    keep: () => ALONE,
    send: (items) => void (items.length > 0 && listener.items(items)),
    defer: (callback) => void nextTurn(callback),
  }
}
