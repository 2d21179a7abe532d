// The messages of a worker thread, in their order, whether the event loop brings them or a task looks for them.
//
// A task that never returns to the event loop can still learn that it was cancelled: the parent counts its cancellations
// in shared memory, and when the count has changed, the port is emptied. What else was in it waits here for its turn.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type { BufferUpdate, CancelMessage, CollectMessage, ToWorker, WAKE } from '../../wire/messages.js'
import type { BufferTable } from './buffer-table.js'

export type Received = ToWorker | CollectMessage | typeof WAKE

export interface Inbox {
  /** A message that the event loop has brought. */
  readonly push: (message: Received | BufferUpdate) => void
  /** The next message, without the event loop. */
  readonly take: () => Received | undefined
  /** Hands over cancellations that have arrived, before all that waits. Costs one look at shared memory. */
  readonly poll: () => void
  /** A buffer that main has told of; known-buffers.ts says why there is one. */
  readonly bufferOf: (number: number) => SharedArrayBuffer
}

export interface InboxOptions {
  readonly port: MessagePort
  /** Undefined where there is no shared memory: then poll() does nothing. */
  readonly hasCancelled: (() => boolean) | undefined
  readonly onCancel: (message: CancelMessage) => void
  readonly buffers: BufferTable
  /** Messages wait that came before the event loop could bring them. */
  readonly onWaiting: () => void
  /** A message is lost: this must not return. */
  readonly onUnreadable: (error: unknown) => never
}

export function createInbox(options: InboxOptions): Inbox {
  const { port, buffers, hasCancelled, onCancel, onWaiting } = options
  let waiting: Received[] = []
  const receive = () => receiveFrom(port, options.onUnreadable)
  const push = (message: Received | BufferUpdate) => {
    if (!buffers.note(message)) waiting.push(message) // updates of buffers need not wait for their turn
  }
  const take = (): Received | undefined => {
    if (waiting.length > 0) return waiting.shift()
    for (;;) {
      const message = receive()
      if (!buffers.note(message)) return message
    }
  }
  return {
    push,
    take,
    poll() {
      if (!hasCancelled?.()) return
      for (let message = receive(); message !== undefined; message = receive()) push(message)
      const cancellations = waiting.filter(isCancel)
      waiting = waiting.filter((message) => !isCancel(message)) // before listeners of signals run, and look again
      for (const message of cancellations) onCancel(message)
      if (waiting.length > 0) onWaiting()
    },
    bufferOf(number) {
      let buffer = buffers.get(number)
      if (buffer) return buffer
      for (; !buffer; buffer = buffers.get(number)) {
        const message = receive()
        if (message === undefined) throw new Error(`the pool has not told of buffer ${number}`)
        push(message)
      }
      if (waiting.length > 0) onWaiting()
      return buffer
    },
  }
}

function receiveFrom(port: MessagePort, onUnreadable: InboxOptions['onUnreadable']) {
  try {
    return receiveMessageOnPort(port)?.message as Received | BufferUpdate | undefined
  } catch (error) {
    return onUnreadable(error)
  }
}

function isCancel(message: Received): message is CancelMessage {
  return typeof message === 'object' && 'type' in message && message.type === 'cancel'
}
