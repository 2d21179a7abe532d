// Looks now and then, while calls are open, whether each worker lives that neither computes for a caller nor merely waits for what its tasks
// wait for; life-signs.ts has the table. Nothing is looked at while the pool is idle.
//
//   so in two looks that follow each other ──> asked ──silent for SILENT_LOOKS──> ended and replaced

import { nextTurn, startTimer } from '../../../primitives/timers.js'
import { LOOK_MS, SILENT_LOOKS } from './life-signs.js'
import type { WorkerSlot } from './worker-slot.js'

export interface WatchedWorkers {
  readonly slots: () => readonly WorkerSlot[]
  /** Calls are open. */
  readonly isBusy: () => boolean
}

export class WorkerWatch {
  readonly #at: WatchedWorkers
  #isOn = false
  /** Those that were to be asked at the last look, too. */
  #doubtful = new Set<WorkerSlot>()

  constructor(workers: WatchedWorkers) {
    this.#at = workers
  }

  /** There is something to watch. */
  start(): void {
    if (this.#isOn) return
    this.#isOn = true
    this.#lookLater()
  }

  #lookLater(): void {
    // What has come by now is read first.
    startTimer(LOOK_MS, () => nextTurn(this.#look))?.unref()
  }

  readonly #look = (): void => {
    this.#judge()
    const { slots, isBusy } = this.#at
    this.#isOn = isBusy() || slots().some(({ owes, life }) => owes || life.isAsked)
    if (this.#isOn) this.#lookLater()
    else this.#doubtful.clear()
  }

  #judge(): void {
    const doubtful = new Set<WorkerSlot>()
    for (const slot of this.#at.slots()) {
      if (slot.state !== 'up' || slot.computes) continue
      if (slot.life.isAsked) {
        if (slot.life.countLook() >= SILENT_LOOKS) slot.onSilence()
      } else if (!slot.waits) {
        if (this.#doubtful.has(slot)) slot.life.ask()
        doubtful.add(slot)
      }
    }
    this.#doubtful = doubtful
  }
}
