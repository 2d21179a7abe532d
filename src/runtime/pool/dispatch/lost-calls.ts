// What becomes of calls when workers die, when none can be started, and when the pool ends.
//
//   worker dies   not started: back to the front of the queue   started: tried again, if that was asked for, or failed

import { ThreadwiseError } from '../../../errors/errors.js'
import { inSlices } from '../../core/in-slices.js'
import type { Call } from '../calls/call.js'
import type { PoolCalls } from '../calls/pool-calls.js'
import type { HeldCall, WorkerExit } from '../workers/worker.js'
import type { WorkerSet } from '../workers/worker-set.js'
import type { Dispatch } from './dispatch.js'
import type { Retries } from './retries.js'
import type { WaitingCalls } from './waiting-calls.js'

type MakeReason = (call: Call) => unknown

/** All places where a call can be. */
export interface CallPlaces {
  readonly calls: PoolCalls
  readonly waiting: WaitingCalls
  readonly retries: Retries
  readonly workers: WorkerSet
  readonly dispatch: Dispatch
}

export class LostCalls {
  readonly #at: CallPlaces
  /** All calls are given up: those of a worker that ends meanwhile need nothing more. */
  #isOver = false

  constructor(places: CallPlaces) {
    this.#at = places
  }

  /**
   * A worker died: calls that had started are lost, the others go back to the queue. True: some are lost with it; so each such death costs a
   * call, and they cannot go on for ever.
   */
  recover(exit: WorkerExit, held: readonly HeldCall[]): boolean {
    const { calls, retries, workers, dispatch } = this.#at
    for (const { call } of held) dispatch.forget(call)
    if (this.#isOver) return false
    if (!workers.isUp) dispatch.takeBack() // they are younger than what it held
    const isMessageToBlame = exit.blame === 'message' || (exit.blame === 'memory' && !held.some(isRunning))
    const { again, lost } = divideHeld(held, isMessageToBlame ? exit.blame : undefined)
    for (const call of lost) {
      if (retries.take(call)) {
        call.options.watch?.pause()
        calls.unplace(call)
      } else calls.failStarted(call, () => exitError(call, exit, 1 + retries.deathsOf(call)))
    }
    if (isMessageToBlame) for (const call of again) if (call.position >= 0) call.mayBeUnreadable = true
    dispatch.requeue(again)
    return lost.length > 0
  }

  /** Those that wait now. `lane`: only the calls of this one. Resolves when they have failed: they may be very many. */
  failQueued(makeReason: MakeReason, lane?: number): Promise<void> {
    return this.#fail(this.#at.waiting.takeAll(lane), makeReason)
  }

  /** Of a pool that ends: none of them starts any more. */
  failAll(makeReason: MakeReason): Promise<void> {
    this.#isOver = true
    const { waiting, retries, dispatch } = this.#at
    const away = dispatch.giveUp()
    return this.#fail([...waiting.takeAll(), ...retries.tasks, ...away.calls], makeReason, away.started)
  }

  #fail(lost: readonly Call[], makeReason: MakeReason, started?: ReadonlySet<Call>): Promise<void> {
    const { calls } = this.#at
    return inSlices(lost, (call) =>
      started?.has(call) ? calls.failStarted(call, makeReason) : calls.fail(call, makeReason),
    )
  }
}

/** Those that another worker can be given, and those that are lost. Settled ones are neither. */
function divideHeld(held: readonly HeldCall[], blame: WorkerExit['blame']): { again: Call[]; lost: Call[] } {
  const again: Call[] = []
  const lost: Call[] = []
  /** Of those that were sent: a worker reads its messages in their order, and each of these is in one of its own when it goes again. */
  let isFirst = true
  for (const { call, mayHaveStarted } of held) {
    if (call.isSettled) continue
    const isBlamed = blame === 'memory' || (blame === 'message' && isFirst)
    if (mayHaveStarted || !mayGoAgain(call, isBlamed)) lost.push(call)
    else again.push(call)
    if (!mayHaveStarted && call.position >= 0) isFirst = false
  }
  return { again, lost }
}

/** It held the thread when the worker died, or may have. */
function isRunning({ call, mayHaveStarted }: HeldCall): boolean {
  return mayHaveStarted && !call.placement?.isWaiting
}

/**
 * Of calls that have not started. One whose message may have ended two workers is not given to a third: its arguments may be too
 * large for all of them.
 */
function mayGoAgain(call: Call, isMessageToBlame: boolean): boolean {
  if (call.position < 0) return true
  const areBuffersGone = call.options.transfer !== undefined
  return !areBuffersGone && !(isMessageToBlame && call.mayBeUnreadable)
}

/** `tries`: times that the call was run. */
function exitError({ name }: Call, exit: WorkerExit, tries: number): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKER_EXITED', { task: name, how: exit.how, tries }, exit)
}
