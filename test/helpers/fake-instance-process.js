// The worker of node:cluster for an instance, as a test plays it.
import { EventEmitter } from 'node:events'

/** `sent` has what the primary has sent; `reply` is called with each message, and what it returns is sent back. */
export function fakeInstanceProcess(reply = () => undefined) {
  const sent = []
  const child = Object.assign(new EventEmitter(), {
    send(message) {
      sent.push(message.threadwise)
      const answer = reply(message)
      if (answer) setImmediate(() => say(answer))
    },
  })
  const worker = Object.assign(new EventEmitter(), { isConnected: () => true, process: child })
  /** What the app sends comes as 'message', what threadwise sends as a message of Node's kind. */
  const say = (message) =>
    message?.threadwise
      ? child.emit('internalMessage', { cmd: 'NODE_THREADWISE', ...message })
      : worker.emit('message', message)
  return { worker, sent, say }
}
