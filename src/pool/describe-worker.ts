// What stats() and inspect() say of one worker.

import { startTimer } from '../executor/timer.js'
import type { WorkerStats } from '../executor/executor.js'
import type { ReportMessage } from '../protocol/messages.js'
import type { WorkerUsage } from '../protocol/worker-usage.js'
import type { PoolTask } from './pool-task.js'
import type { PoolWorker } from './pool-worker.js'
import type { WorkerSlot } from './worker-slot.js'

/** Milliseconds in which a worker answers whose thread is not kept busy by one task. */
const ANSWER_MS = 1000

const UNKNOWN = { cpu: null, heapBytes: null, rssBytes: null, eventLoopUtilization: null }

/** What the pool knows of its worker. */
export function describeWorker(slot: WorkerSlot): WorkerStats {
  const { identity, running, answered, startedAt } = slot
  const state = slot.isLeaving && slot.state === 'up' ? 'leaving' : slot.state
  const { task, isListed } = currentTask(slot)
  return {
    ...identity,
    state: state === 'gone' ? 'ending' : state,
    task: task?.name ?? null,
    running: running.size + (task && !isListed ? 1 : 0),
    completed: answered,
    startedAt,
    ...UNKNOWN,
  }
}

/** Undefined: it has ended meanwhile. */
export async function inspectWorker(slot: WorkerSlot): Promise<WorkerStats | undefined> {
  if (slot.state !== 'up') return slot.state === 'gone' ? undefined : describeWorker(slot)
  const report = await slot.reports.ask()
  if (hasEnded(slot)) return undefined
  const stats = describeWorker(slot)
  if (report) return { ...stats, ...report }
  return stats.state === 'ending' ? stats : { ...stats, state: 'blocked' }
}

/** Asks a worker what it uses. */
export class UsageReports {
  readonly #ask: () => void
  #asked: Promise<Partial<WorkerStats> | undefined> | undefined
  #answer: ((report: Partial<WorkerStats> | undefined) => void) | undefined
  #before = { activeMs: 0, idleMs: 0 }

  constructor(ask: () => void) {
    this.#ask = ask
  }

  /** Who asks while the answer is under way gets the same one. Undefined: there was none in time. */
  ask(): Promise<Partial<WorkerStats> | undefined> {
    if (this.#asked) return this.#asked
    this.#asked = new Promise((resolve) => {
      // A late answer is that of an older question, and is dropped.
      const timer = startTimer(ANSWER_MS, () => this.#answer?.(undefined))
      this.#answer = (report) => {
        clearTimeout(timer)
        this.#asked = this.#answer = undefined
        resolve(report)
      }
    })
    this.#ask()
    return this.#asked
  }

  onReport({ usage }: ReportMessage): void {
    this.#answer?.(this.#sinceLast(usage))
  }

  /** The worker has ended. */
  onEnd(): void {
    this.#answer?.(undefined)
  }

  #sinceLast({ activeMs, idleMs, ...usage }: WorkerUsage): Partial<WorkerStats> {
    const active = Math.max(0, activeMs - this.#before.activeMs)
    const idle = Math.max(0, idleMs - this.#before.idleMs)
    this.#before = { activeMs, idleMs }
    return { ...usage, eventLoopUtilization: active + idle > 0 ? active / (active + idle) : 0 }
  }
}

/** Where a runtime does not say who its worker is, as in tests. */
export function identityOf({ identity }: PoolWorker, id: number) {
  return identity ?? { id, name: String(id) }
}

/** The call that keeps its thread busy: of those that were sent, the first that does not wait on a promise. */
function currentTask(slot: WorkerSlot): { task?: PoolTask | undefined; isListed: boolean } {
  const shared = slot.currentTask
  if (shared && !shared.delivery?.isWaiting) return { task: shared, isListed: slot.running.has(shared.id) }
  if (slot.state === 'up')
    for (const task of slot.running.values())
      if (!task.delivery!.isWaiting && task.position >= 0) return { task, isListed: true }
  return { isListed: false }
}

/** A function, so that the compiler does not take the state of before for that of now. */
const hasEnded = (slot: WorkerSlot) => slot.state === 'gone'
