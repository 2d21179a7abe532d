// What a worker thread is told at its start.

import type { QueueSeat } from '../transport/queue-server.js'

/** Words of the counters. */
export const STARTED = 0
export const CANCELLED = 1

/** What the entry finds in its workerData. */
export interface ThreadData {
  readonly module: string
  readonly name: string
  readonly id: number
  /** Bytes after which it says that it is worn. */
  readonly maxHeapBytes: number
  /**
   * Undefined without shared memory. Two Int32: how many calls have started, written by the worker only and read by the parent
   * after its death; and how many the parent has cancelled, counted after each message that says so.
   */
  readonly counters: SharedArrayBuffer | undefined
  /** Its place at the shared queue; undefined where calls travel by message. */
  readonly seat: QueueSeat | undefined
}
