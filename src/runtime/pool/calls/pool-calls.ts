// The open calls of a pool of workers: each settles once, whatever becomes of its worker.

import { withCallerStack } from '../../wire/thrown.js'
import type { Outcome } from '../../executor/stats.js'
import { callerStack, rejectLater } from '../../executor/caller-stack.js'
import { OpenCalls } from '../../core/open-calls.js'
import type { Unsendable } from '../../wire/messages.js'
import { argumentProblem, notCloneable } from '../../wire/not-cloneable.js'
import { callsIn, noResolve, type Call } from './call.js'
import { NO_ARGS } from '../../core/call-listener.js'

export class PoolCalls extends OpenCalls {
  complete(call: Call, value: unknown): void {
    if (call.isSettled) return
    call.resolve(value)
    this.#settle(call, 'completed', true)
  }

  /** So many inputs of it have a result. What is left counts as one call: the input by which it fails. The others were not called. */
  completeInputs(call: Call, inputs: number): void {
    if (call.isSettled) return
    call.args = NO_ARGS
    this.count('completed', true, inputs)
  }

  /** Its worker has told that it waits on a promise. */
  suspend(call: Call): void {
    if (call.isSettled || call.placement!.isSuspended) return
    call.placement!.isSuspended = true
    call.group.suspended++
  }

  /** No worker has it any more: it may be given to one again. */
  unplace(call: Call): void {
    if (call.placement?.isSuspended) call.group.suspended--
    call.placement = undefined
    call.position = -1
  }

  /** Its function has thrown, in the worker. */
  failThrown(call: Call, thrown: unknown): void {
    this.failStarted(call, () => withCallerStack(thrown, callerStack(call.name)))
  }

  /** Its arguments cannot be sent. */
  failUnsendable(call: Call, error: unknown): void {
    if (call.isSettled) return
    const { what, reason } = argumentProblem(call.args, call.options, error)
    this.fail(call, () => notCloneable(what, call.name, reason))
  }

  /** Its result cannot be sent, as the worker says. Of many inputs, those whose results can be have completed. */
  failUnsendableResult(call: Call, { reason, sendable }: Unsendable): void {
    if (call.isSettled) return
    if (sendable > 0) {
      this.count('completed', true, sendable)
      call.args = call.args.slice(sendable)
    }
    this.failStarted(call, () => notCloneable('The result', call.name, reason))
  }

  /** Of a call that has started. */
  failStarted(call: Call, makeReason: (call: Call) => unknown, outcome: Outcome = 'failed'): void {
    this.#fail(call, makeReason, outcome, true)
  }

  /** Of one that may not have started. */
  fail(call: Call, makeReason: (call: Call) => unknown, outcome: Outcome = 'failed'): void {
    this.#fail(call, makeReason, outcome, hasStarted(call) || call.group.isQuarantined(call))
  }

  #fail(call: Call, makeReason: (call: Call) => unknown, outcome: Outcome, hasRun: boolean): void {
    if (call.isSettled) return
    const { resolve } = call
    this.#settle(call, outcome, hasRun)
    resolve(rejectLater(() => makeReason(call)))
  }

  #settle(call: Call, outcome: Outcome, hasRun: boolean): void {
    call.options.watch?.release()
    this.settle(call, outcome, hasRun, callsIn(call))
    call.resolve = noResolve
    if (call.options.transfer) call.options.transfer = undefined
    call.group.drop(call)
    this.leave()
  }
}

/** Its worker has said so. */
function hasStarted({ placement, timing }: Call): boolean {
  if (timing && timing.startedAt !== 0) return true
  return placement !== undefined && (placement.hasStarted || placement.isSuspended)
}
