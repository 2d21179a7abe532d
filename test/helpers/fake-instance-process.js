// The worker of node:cluster for an instance, as a test plays it.
import { EventEmitter } from 'node:events'

/** `sent` has what the primary has sent; `reply` is called with each message, and what it returns is sent back. */
export function fakeInstanceProcess(reply = () => undefined) {
  const sent = []
  const worker = Object.assign(new EventEmitter(), {
    isConnected: () => true,
    process: {
      send(message) {
        sent.push(message.threadwise)
        const answer = reply(message)
        if (answer) setImmediate(() => worker.emit('message', answer))
      },
    },
  })
  return { worker, sent, say: (message) => worker.emit('message', message) }
}
