// The shared memory of a pool's request queue, and the views of both sides on it. queue-layout.ts says what lies where.

import {
  CONTROL_BYTES,
  LOADS,
  LOADS_AT,
  MAX_NAMES,
  MAX_VALUE_BYTES,
  NAME_BYTES,
  NAMES_AT,
  PAYLOAD_AT,
  PAYLOAD_BYTES,
  SHORT_AT,
  SLOT_WORDS,
  SLOTS,
  SLOTS_AT,
} from './queue-layout.js'
import { createMemory, viewsOf, type Memory } from './memory.js'

export interface QueueViews {
  readonly control: Int32Array
  readonly names: Buffer
  /** By function: see SHORT_AT. */
  readonly short: Int32Array
  /** By worker: see LOADS_AT. */
  readonly loads: Int32Array
  readonly slots: Int32Array
  /** The same slots; the number of a slot is at index `slot * 8 + 2`. */
  readonly numbers: Float64Array
  readonly payload: Memory
}

export function createQueueMemory(): SharedArrayBuffer {
  return createMemory(PAYLOAD_AT + PAYLOAD_BYTES + MAX_VALUE_BYTES)
}

export function queueViews(buffer: SharedArrayBuffer): QueueViews {
  return {
    control: new Int32Array(buffer, 0, CONTROL_BYTES >> 2),
    names: Buffer.from(buffer, NAMES_AT, MAX_NAMES * NAME_BYTES),
    short: new Int32Array(buffer, SHORT_AT, MAX_NAMES),
    loads: new Int32Array(buffer, LOADS_AT, LOADS),
    slots: new Int32Array(buffer, SLOTS_AT, SLOTS * SLOT_WORDS),
    numbers: new Float64Array(buffer, SLOTS_AT, (SLOTS * SLOT_WORDS) >> 1),
    payload: viewsOf(buffer, PAYLOAD_AT, PAYLOAD_BYTES + MAX_VALUE_BYTES),
  }
}
