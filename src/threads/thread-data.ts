// What a worker thread is told at its start.

import type { QueueSeat } from '../transport/queue-server.js'

/** What the entry finds in its workerData. */
export interface ThreadData {
  readonly module: string
  readonly name: string
  readonly id: number
  /** Bytes after which it says that it is worn. */
  readonly maxHeapBytes: number
  /** One Int32: how many calls have started. Written by the worker only, read by the parent after the worker's death. */
  readonly started: SharedArrayBuffer
  /** Its place at the shared queue; undefined where calls travel by message. */
  readonly seat: QueueSeat | undefined
}
