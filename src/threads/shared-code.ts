// The code of the threads in memory that all of them share: V8 in a worker reads only the parts that it needs.

import { threadCode } from './thread-code.js'

let memory: ArrayBufferLike | undefined

/** Letters of one byte. Where there is no SharedArrayBuffer each worker is sent a copy. */
export function sharedCode(): ArrayBufferLike {
  if (memory) return memory
  // Not one that may grow (createMemory): it is written at once, and to ask V8 for that takes half a millisecond of the start.
  memory = new (globalThis.SharedArrayBuffer ?? ArrayBuffer)(threadCode.length)
  Buffer.from(memory).write(threadCode, 'latin1')
  return memory
}
