// The memory that one worker and the main thread share, and the views of both sides on it. worker-layout.ts says what lies where.

import { createMemory, viewsOf, type Memory } from './memory.js'
import { CONTROL_BYTES, CURRENT, MAX_VALUE_BYTES, RING_BYTES } from './worker-layout.js'

export interface WorkerViews {
  readonly control: Int32Array
  readonly ring: Memory
}

export function createWorkerMemory(): SharedArrayBuffer {
  const buffer = createMemory(CONTROL_BYTES + RING_BYTES + MAX_VALUE_BYTES)
  new Int32Array(buffer)[CURRENT] = -1
  return buffer
}

export function workerViews(buffer: SharedArrayBuffer): WorkerViews {
  return {
    control: new Int32Array(buffer, 0, CONTROL_BYTES >> 2),
    ring: viewsOf(buffer, CONTROL_BYTES, RING_BYTES + MAX_VALUE_BYTES),
  }
}
