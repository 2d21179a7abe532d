// The port between the pool and a worker thread: that of the worker itself, as a rule.
//
// A task that never returns to the event loop looks for its cancellation by receiveMessageOnPort(). Deno refuses that for parentPort, so
// there each worker gets one end of a MessageChannel.

import {
  MessageChannel,
  receiveMessageOnPort,
  type MessagePort,
  type Transferable,
} from 'node:worker_threads'

/** What the pool needs of a worker, or of a port. */
export interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'messageerror', listener: (error: Error) => void): unknown
  unref(): void
}

export interface Ports {
  readonly near: MessagePort
  /** For the worker, in its workerData. */
  readonly far: MessagePort
}

/** Undefined: the worker's own port will do. */
export function createPorts(): Ports | undefined {
  if (!('deno' in process.versions)) return undefined
  const { port1: near, port2: far } = new MessageChannel()
  return { near, far }
}

/** Hands over what a worker has sent before its end: the channel does not, as it goes on. */
export function receiveLast(near: MessagePort, onMessage: (message: unknown) => void): void {
  for (let last = receiveMessageOnPort(near); last; last = receiveMessageOnPort(near)) onMessage(last.message)
  near.close()
}
