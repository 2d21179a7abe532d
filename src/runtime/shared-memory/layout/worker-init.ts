// What a worker is told of the shared queue at its start.

export interface KnownBuffer {
  readonly number: number
  readonly buffer: SharedArrayBuffer
}

export interface WorkerInit {
  readonly queue: SharedArrayBuffer
  readonly own: SharedArrayBuffer
  /** Number of this worker among those of the pool, from 0. */
  readonly index: number
  /** Workers of the pool. An only one runs calls in the order in which they were made, whichever way they come. */
  readonly workers: number
  /** That calls may name. */
  readonly buffers: readonly KnownBuffer[]
}
