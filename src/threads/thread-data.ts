// What a worker thread is told at its start.

import type { QueueSeat } from '../transport/queue-seat.js'
import type { SharedCode } from './shared-code.js'

/** What the entry finds in its workerData. */
export interface ThreadData {
  /** Its own code. Gone once it has started: tasks see the rest. */
  readonly code: SharedCode
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
