// What a worker thread is told at its start.

import type { MessagePort } from 'node:worker_threads'
import type { Carried } from '../wire/codec/packet.js'
import type { WorkerInit } from '../shared-memory/layout/worker-init.js'

/** What the entry finds in its workerData. */
export interface ThreadData {
  readonly module: string
  /** Task modules of the workers in which this one is started. */
  readonly parents: readonly string[]
  readonly name: string
  readonly id: number
  /** Its place in the pool, from 1. */
  readonly slot: number
  /** Bytes of heap after which it asks to be recycled. */
  readonly maxHeapBytes: number
  /** Promises of a call for many inputs that may be open at a time. */
  readonly sideBySide: number
  /** See runtime/threads/call-counters.ts. */
  readonly counters: SharedArrayBuffer | undefined
  /** Its place at the shared queue; undefined where calls travel by message. */
  readonly init: WorkerInit | undefined
  /** For its tasks, as the codec carries it. */
  readonly given: Carried
  /** The worker's end of the channel, see thread-port.ts. Undefined: its own port. */
  readonly port?: MessagePort
}
