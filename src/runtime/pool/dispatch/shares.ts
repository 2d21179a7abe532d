// How the calls that may run in a pool are shared out: among its workers, and, where the pool chooses the worker of each call, among its lanes.

/** Calls that each of so many workers may hold. `own`: what the options say of one worker. */
export function shareOfWorker(concurrency: number, workers: number, own = Infinity): number {
  return Math.min(own, Math.ceil(concurrency / workers))
}

/** What one lane gets. */
export function shareOfLane(concurrency: number, lanes: number, lane: number): number {
  return Math.floor(concurrency / lanes) + (lane < concurrency % lanes ? 1 : 0)
}
