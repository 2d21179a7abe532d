// Which sleeping workers are woken for calls that lie in the queue.
//
// A worker that says that it sleeps in its event loop may be running something there: a call that came by message, or what follows
// a promise. It would count as woken, and nobody else would come. So those that hold no other calls are woken first; and if a call
// is still unclaimed at main's next look, all are. Nor is a spinning one counted on that holds other calls: it runs those first.

interface Sleeper {
  readonly isRetired: boolean
  /** It sleeps, and takes no calls. */
  readonly isOccupied: boolean
  readonly isSpinning: boolean
  readonly mayBeBusy: boolean
  /** True if it slept. */
  wake(): boolean
}

/** As many as there are calls that no spinning one will take. Returns how many were woken. */
export function wakeFor(calls: number, workers: readonly Sleeper[]): number {
  let needed = calls
  for (let i = 0; i < workers.length; i++) {
    const worker = workers[i]!
    if (!worker.isRetired && worker.isSpinning && !worker.mayBeBusy) needed--
  }
  const left = wakeSome(needed, workers, false)
  return needed - wakeSome(left, workers, true)
}

export function wakeAll(workers: readonly Sleeper[]): void {
  for (const worker of workers) if (!worker.isRetired) worker.wake()
}

/** Returns how many more are needed. */
function wakeSome(needed: number, workers: readonly Sleeper[], mayBeBusy: boolean): number {
  for (let i = 0; i < workers.length && needed > 0; i++) {
    const worker = workers[i]!
    if (worker.isRetired || worker.mayBeBusy !== mayBeBusy || worker.isOccupied) continue
    if (worker.wake()) needed--
  }
  return needed
}
