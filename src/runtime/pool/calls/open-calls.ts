// The calls that a pool has accepted, until they settle: each once, whatever becomes of its worker.

import type { EncodedGraph } from '../../wire/encoded-graph.js'
import { readGraph } from '../../wire/graph-reader.js'
import { decodeThrown, type EncodedThrown } from '../../wire/serialize-error.js'
import type { Outcome } from '../../executor/stats.js'
import { callerStack, rejectLater } from '../../engine/caller-stack.js'
import { contextInTheWay, notCloneable } from '../../wire/not-cloneable.js'
import { callsIn, noResolve, type Call } from './call.js'
import { NO_ARGS } from '../../engine/call-listener.js'

export interface OpenCallsEvents {
  /** A call has settled that was in the pool's own queue. */
  onUnqueued(call: Call): void
  /** None is open any more. */
  onIdle(): void
  /** A call has settled that is timed. */
  onTimed(call: Call, outcome: Outcome): void
}

export class OpenCalls {
  /** Calls that are not settled. */
  open = 0
  /** Those of them that wait on promises in a worker: nobody waits for them. */
  suspended = 0
  readonly counts: Record<Outcome, number> = { completed: 0, failed: 0, cancelled: 0 }
  readonly #events: OpenCallsEvents

  constructor(events: OpenCallsEvents) {
    this.#events = events
  }

  complete(call: Call, value: unknown): void {
    if (call.isSettled) return
    call.resolve(value)
    this.#settle(call, 'completed')
  }

  /** Its result came as a graph. */
  completeEncoded(call: Call, graph: unknown): void {
    if (call.isSettled) return
    try {
      const origin = { what: 'The result', task: call.name, where: "in the caller's thread" }
      this.complete(call, readGraph(graph as EncodedGraph, origin))
    } catch (error) {
      this.fail(call, () => error)
    }
  }

  /** Its worker has told that it waits on a promise. */
  suspend(call: Call): void {
    if (call.isSettled || call.delivery!.isSuspended) return
    call.delivery!.isSuspended = true
    this.suspended++
  }

  /** No worker has it any more: it may be given to one again. */
  recall(call: Call): void {
    if (call.delivery?.isSuspended) this.suspended--
    call.delivery = undefined
    call.position = -1
  }

  /** Its function has thrown, in the worker. */
  failThrown(call: Call, thrown: unknown): void {
    this.fail(call, () => decodeThrown(thrown as EncodedThrown, callerStack(call.name)))
  }

  failUnsendable(call: Call, what: 'An argument' | 'The result', error: unknown): void {
    const mayBeContext = what === 'An argument' && call.options.hasContext && !call.isSettled
    const context = mayBeContext ? contextInTheWay(call.args[0]) : undefined
    this.fail(call, () => notCloneable(context ?? what, call.name, error))
  }

  fail(call: Call, makeReason: (call: Call) => unknown, outcome: Outcome = 'failed'): void {
    if (call.isSettled) return
    const { resolve } = call
    this.#settle(call, outcome)
    resolve(rejectLater(() => makeReason(call)))
  }

  #settle(call: Call, outcome: Outcome): void {
    call.isSettled = true
    call.options.watch?.release()
    if (call.timing) this.#events.onTimed(call, outcome)
    this.counts[outcome] += callsIn(call)
    call.args = NO_ARGS
    call.resolve = noResolve
    if (call.options.transfer) call.options.transfer = undefined
    if (call.delivery?.isSuspended) this.suspended--
    if (call.isQueued) this.#events.onUnqueued(call)
    if (--this.open === 0) this.#events.onIdle()
  }
}
