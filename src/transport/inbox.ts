// The messages of a worker thread, in their order, whether the event loop brings them or a task looks for them.
//
// A task that never returns to the event loop can still learn that it was cancelled: the parent counts its cancellations
// in shared memory, and when the count has changed, the port is emptied. What else was in it waits here for its turn.

import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import type { CancelMessage, ToWorker, WAKE } from '../protocol/messages.js'

export type Received = ToWorker | typeof WAKE

export interface Inbox {
  /** A message that the event loop has brought. */
  readonly push: (message: Received) => void
  /** The next message, without the event loop. */
  readonly take: () => Received | undefined
  /** Hands over cancellations that have arrived, before all that waits. Costs one look at shared memory. */
  readonly poll: () => void
}

export interface InboxOptions {
  readonly port: MessagePort
  /** Undefined where there is no shared memory: then poll() does nothing. */
  readonly hasCancelled: (() => boolean) | undefined
  readonly onCancel: (message: CancelMessage) => void
  /** Messages wait that came before the event loop could bring them. */
  readonly onWaiting: () => void
}

export function createInbox({ port, hasCancelled, onCancel, onWaiting }: InboxOptions): Inbox {
  const waiting: Received[] = []
  const receive = () => receiveMessageOnPort(port)?.message as Received | undefined
  return {
    push: (message) => void waiting.push(message),
    take: () => waiting.shift() ?? receive(),
    poll() {
      if (!hasCancelled?.()) return
      for (let message = receive(); message !== undefined; message = receive()) {
        if (isCancel(message)) onCancel(message)
        else waiting.push(message)
      }
      if (waiting.length > 0) onWaiting()
    },
  }
}

function isCancel(message: Received): message is CancelMessage {
  return typeof message === 'object' && 'type' in message && message.type === 'cancel'
}
