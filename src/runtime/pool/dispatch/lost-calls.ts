// What becomes of calls when workers die, when none can be started, and when the pool ends.
//
//   worker dies   not started: back to the front of the queue   started: tried again, if that was asked for, or failed

import { ThreadwiseError } from '../../../errors/errors.js'
import { inSlices } from '../../engine/in-slices.js'
import { isShared, type Call } from '../calls/call.js'
import type { OpenCalls } from '../calls/open-calls.js'
import type { SharedCalls } from '../calls/shared-calls.js'
import type { HeldCall, WorkerExit } from '../workers/worker.js'
import type { WorkerSet } from '../workers/worker-set.js'
import type { Retries } from './retries.js'
import type { WaitingCalls } from './waiting-calls.js'

type MakeReason = (call: Call) => unknown

/** All places where a call can be. */
export interface CallPlaces {
  readonly calls: OpenCalls
  readonly waiting: WaitingCalls
  readonly retries: Retries
  readonly workers: WorkerSet
  readonly shared: SharedCalls | undefined
}

export class LostCalls {
  readonly #at: CallPlaces
  /** All calls are given up: those of a worker that ends meanwhile need nothing more. */
  #isOver = false

  constructor(places: CallPlaces) {
    this.#at = places
  }

  /** Takes the calls that no worker has out of the shared queue, back to the pool's own. */
  recall(): void {
    const { shared } = this.#at
    if (shared && shared.waiting > 0) this.#requeue(shared.recall())
  }

  /**
   * A worker died: calls that had started are lost, the others go back to the queue. True: a call was lost over which workers
   * had died before.
   */
  recover(exit: WorkerExit, held: readonly HeldCall[]): boolean {
    const { calls, retries, workers, shared } = this.#at
    for (const { call } of held) if (this.#isOver && isShared(call)) shared!.forget(call)
    if (this.#isOver) return false
    if (!workers.isUp) this.recall() // they are younger than what it held
    const isMessageToBlame = exit.blame === 'message' || (exit.blame === 'memory' && !held.some(isRunning))
    const { again, lost } = divideHeld(held, isMessageToBlame)
    for (const { call: call } of held) if (isShared(call)) shared!.forget(call)
    const isExplained = lost.some((task) => retries.isQuarantined(task))
    for (const task of lost) {
      if (retries.take(task)) {
        task.options.watch?.pause()
        calls.recall(task)
      } else calls.failStarted(task, () => exitError(task, exit, 1 + retries.deathsOf(task)))
    }
    if (isMessageToBlame) for (const task of again) if (task.position >= 0) task.mayBeUnreadable = true
    this.#requeue(again)
    return isExplained
  }

  /** Those that wait now. `lane`: only the calls of this one. Resolves when they have failed: they may be very many. */
  failQueued(makeReason: MakeReason, lane?: number): Promise<void> {
    return this.#fail(this.#at.waiting.takeAll(lane), makeReason)
  }

  /** Of a pool that ends: none of them starts any more. */
  failAll(makeReason: MakeReason): Promise<void> {
    this.#isOver = true
    const { waiting, retries, workers, shared } = this.#at
    const inQueue = [...(shared?.tasks ?? [])]
    const started = new Set(inQueue.filter((call) => !shared!.withdraw(call)))
    const held = workers.slots.flatMap(({ running }) => [...running.values()])
    for (const call of workers.started) started.add(call)
    return this.#fail([...waiting.takeAll(), ...held, ...retries.tasks, ...inQueue], makeReason, started)
  }

  #fail(lost: readonly Call[], makeReason: MakeReason, started?: ReadonlySet<Call>): Promise<void> {
    const { calls } = this.#at
    return inSlices(lost, (call) =>
      started?.has(call) ? calls.failStarted(call, makeReason) : calls.fail(call, makeReason),
    )
  }

  /** Puts calls back to the front of the queue, in their order. */
  #requeue(tasks: readonly Call[]): void {
    const { calls, waiting } = this.#at
    for (const task of [...tasks].reverse()) {
      if (task.isSettled) continue
      calls.recall(task)
      waiting.unshift(task)
    }
  }
}

/** Those that another worker can be given, and those that are lost. Settled ones are neither. */
function divideHeld(held: readonly HeldCall[], isMessageToBlame: boolean): { again: Call[]; lost: Call[] } {
  const again: Call[] = []
  const lost: Call[] = []
  for (const { call: task, mayHaveStarted } of held) {
    if (task.isSettled) continue
    if (mayHaveStarted || !mayGoAgain(task, isMessageToBlame)) lost.push(task)
    else again.push(task)
  }
  return { again, lost }
}

/** It held the thread when the worker died, or may have. */
function isRunning({ call: task, mayHaveStarted }: HeldCall): boolean {
  return mayHaveStarted && !task.delivery?.isWaiting
}

/**
 * Of calls that have not started. One whose message may have ended two workers is not given to a third: its arguments may be too
 * large for all of them.
 */
function mayGoAgain(task: Call, isMessageToBlame: boolean): boolean {
  if (task.position < 0) return true
  const areBuffersGone = task.options.transfer !== undefined
  return !areBuffersGone && !(isMessageToBlame && task.mayBeUnreadable)
}

/** `tries`: times that the call was run. */
function exitError({ name }: Call, exit: WorkerExit, tries: number): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKER_EXITED', { task: name, how: exit.how, tries }, exit)
}
