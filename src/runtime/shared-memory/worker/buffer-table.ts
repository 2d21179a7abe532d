// A worker's side of known-buffers.ts: the buffers on shared memory that calls in the queue may name.

import type { BufferUpdate, CollectMessage, ToWorker, WAKE } from '../../wire/messages.js'
import type { KnownBuffer } from '../layout/worker-init.js'
import { UPDATES } from '../layout/worker-layout.js'

type Message = ToWorker | CollectMessage | BufferUpdate | typeof WAKE | undefined

export class BufferTable {
  readonly #buffers: Map<number, SharedArrayBuffer>
  readonly #own: Int32Array | undefined

  /** `own`: the words of this worker's memory; undefined where there is no shared queue. */
  constructor(known: readonly KnownBuffer[], own: Int32Array | undefined) {
    this.#buffers = new Map(known.map(({ number, buffer }) => [number, buffer]))
    this.#own = own
  }

  get(number: number): SharedArrayBuffer | undefined {
    return this.#buffers.get(number)
  }

  /** False: the message is something else. */
  note(message: Message): message is BufferUpdate {
    if (typeof message !== 'object' || !('type' in message)) return false
    if (message.type === 'buffer') this.#buffers.set(message.number, message.buffer)
    else if (message.type === 'forget-buffer') this.#buffers.delete(message.number)
    else return false
    if (this.#own) Atomics.add(this.#own, UPDATES, 1)
    return true
  }
}
