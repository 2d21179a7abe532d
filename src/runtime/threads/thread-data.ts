// What a worker thread is told at its start.

import type { WorkerInit } from '../shared-memory/layout/worker-init.js'
import { threadCode, threadParts, type ThreadParts } from './thread-code.js'

/** What the entry finds in its workerData. */
export interface ThreadData {
  /** Its own code. Gone once it has started: tasks see the rest. */
  readonly code: SharedCode
  readonly module: string
  readonly name: string
  readonly id: number
  /** Bytes of heap after which it asks to be recycled. */
  readonly maxHeapBytes: number
  /** See runtime/threads/call-counters.ts. */
  readonly counters: SharedArrayBuffer | undefined
  /** Its place at the shared queue; undefined where calls travel by message. */
  readonly init: WorkerInit | undefined
}

// The code of the threads in memory that all of them share: V8 in a worker reads only the parts that it needs.

export interface SharedCode extends ThreadParts {
  /** Letters of one byte. Where there is no SharedArrayBuffer each worker is sent a copy. */
  readonly text: ArrayBufferLike
}

let code: SharedCode | undefined

export function sharedCode(): SharedCode {
  return (code ??= { text: inMemory(threadCode), ...threadParts })
}

/** Not in memory that may grow (createMemory): it is written at once, and to ask V8 for that takes half a millisecond of the start. */
function inMemory(text: string): ArrayBufferLike {
  const memory = new (globalThis.SharedArrayBuffer ?? ArrayBuffer)(text.length)
  Buffer.from(memory).write(text, 'latin1')
  return memory
}
