// Connects a worker's end of the shared queue with the server that runs its calls.

import type { MessagePort } from 'node:worker_threads'
import { REPLY_STARTED, type FromWorker, type ToWorker } from '../protocol/messages.js'
import { ReplyOutbox, type Replies } from '../protocol/reply-outbox.js'
import type { TaskServer } from '../protocol/task-server.js'
import { QueueServer, type QueueSeat } from './queue-server.js'

export interface QueueClient {
  readonly port: MessagePort
  readonly server: TaskServer
  readonly post: (message: FromWorker) => void
  readonly onMessage: (message: ToWorker) => void
}

export function serveQueue(seat: QueueSeat, { port, server, post, onMessage }: QueueClient): QueueServer {
  let isUrgent = false
  let isTurnPlanned = false
  const afterTurn = () => {
    isTurnPlanned = false
    queue.afterTurn()
  }
  const replies: Replies = {
    push: (kind, id, value) => queue.reply(kind, id, value, isUrgent),
    pushLate: (kind, id, value) => queue.replyLate(kind, id, value),
    flushLater() {
      if (isTurnPlanned) return
      isTurnPlanned = true
      setImmediate(afterTurn)
    },
  }
  const outbox = new ReplyOutbox({ post, defer: setImmediate })
  const queue = new QueueServer(seat, {
    port,
    load: server,
    run(id, name, args, isAnnounced) {
      isUrgent = isAnnounced
      if (isAnnounced) replies.push(REPLY_STARTED, id, undefined)
      server.start(id, name, args, replies)
    },
    post(kind, id, value) {
      outbox.push(kind, id, value)
      outbox.flush()
    },
    onMessage: (message) => onMessage(message as ToWorker),
  })
  return queue
}
