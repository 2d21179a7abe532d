// The calls that a pool has accepted, until they settle: each once, whatever becomes of its worker.

import type { EncodedGraph } from '../../wire/encoded-graph.js'
import { readGraph } from '../../wire/graph-reader.js'
import { decodeThrown, type EncodedThrown } from '../../wire/serialize-error.js'
import type { Outcome } from '../../executor/stats.js'
import { callerStack, rejectLater } from '../../engine/caller-stack.js'
import { contextInTheWay, notCloneable } from '../../wire/not-cloneable.js'
import { callsIn, noResolve, type PoolTask } from './call.js'
import { NO_ARGS } from '../../engine/call-listener.js'

export interface LedgerEvents {
  /** A call has settled that was in the pool's own queue. */
  onUnqueued(task: PoolTask): void
  /** None is open any more. */
  onIdle(): void
  /** A call has settled that is timed. */
  onTimed(task: PoolTask, outcome: Outcome): void
}

export class CallLedger {
  /** Calls that are not settled. */
  open = 0
  /** Those of them that wait on promises in a worker: nobody waits for them. */
  suspended = 0
  readonly counts: Record<Outcome, number> = { completed: 0, failed: 0, cancelled: 0 }
  readonly #events: LedgerEvents

  constructor(events: LedgerEvents) {
    this.#events = events
  }

  complete(task: PoolTask, value: unknown): void {
    if (task.isSettled) return
    task.resolve(value)
    this.#settle(task, 'completed')
  }

  /** Its result came as a graph. */
  completeEncoded(task: PoolTask, graph: unknown): void {
    if (task.isSettled) return
    try {
      const origin = { what: 'The result', task: task.name, where: "in the caller's thread" }
      this.complete(task, readGraph(graph as EncodedGraph, origin))
    } catch (error) {
      this.fail(task, () => error)
    }
  }

  /** Its worker has told that it waits on a promise. */
  suspend(task: PoolTask): void {
    if (task.isSettled || task.delivery!.isSuspended) return
    task.delivery!.isSuspended = true
    this.suspended++
  }

  /** No worker has it any more: it may be given to one again. */
  takeBack(task: PoolTask): void {
    if (task.delivery?.isSuspended) this.suspended--
    task.delivery = undefined
    task.position = -1
  }

  /** Its function has thrown, in the worker. */
  failThrown(task: PoolTask, thrown: unknown): void {
    this.fail(task, () => decodeThrown(thrown as EncodedThrown, callerStack(task.name)))
  }

  failUnsendable(task: PoolTask, what: 'An argument' | 'The result', error: unknown): void {
    const mayBeContext = what === 'An argument' && task.terms.hasContext && !task.isSettled
    const context = mayBeContext ? contextInTheWay(task.args[0]) : undefined
    this.fail(task, () => notCloneable(context ?? what, task.name, error))
  }

  fail(task: PoolTask, makeReason: (task: PoolTask) => unknown, outcome: Outcome = 'failed'): void {
    if (task.isSettled) return
    const { resolve } = task
    this.#settle(task, outcome)
    resolve(rejectLater(() => makeReason(task)))
  }

  #settle(task: PoolTask, outcome: Outcome): void {
    task.isSettled = true
    task.terms.watch?.release()
    if (task.timing) this.#events.onTimed(task, outcome)
    this.counts[outcome] += callsIn(task)
    task.args = NO_ARGS
    task.resolve = noResolve
    if (task.terms.transfer) task.terms.transfer = undefined
    if (task.delivery?.isSuspended) this.suspended--
    if (task.isQueued) this.#events.onUnqueued(task)
    if (--this.open === 0) this.#events.onIdle()
  }
}
