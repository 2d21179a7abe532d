// What a worker thread is told at its start.

import type { QueueSeat } from '../transport/queue-seat.js'

/** What the entry finds in its workerData. */
export interface ThreadData {
  /** Most of its own code; see scripts/worker-bundles.mjs. */
  readonly code: ArrayBufferLike
  readonly module: string
  readonly name: string
  readonly id: number
  /** Bytes after which it says that it is worn. */
  readonly maxHeapBytes: number
  /** See transport/call-counters.ts. */
  readonly counters: SharedArrayBuffer | undefined
  /** Its place at the shared queue; undefined where calls travel by message. */
  readonly seat: QueueSeat | undefined
}
