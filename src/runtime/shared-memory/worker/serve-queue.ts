// Connects a worker's end of the shared queue with the server that runs its calls.

import type { MessagePort } from 'node:worker_threads'
import { BY_MESSAGE, type Carriage } from '../../wire/codec/packet.js'
import { machineNow } from '../../wire/machine-clock.js'
import {
  REPLY_ERROR,
  REPLY_STARTED,
  REPLY_TIMED,
  type FromWorker,
  type ToWorker,
} from '../../wire/messages.js'
import { createReplyOutbox, type ReplyOutbox, type Replies } from '../../worker/reply-outbox.js'
import type { TaskServer } from '../../worker/task-server.js'
import type { WorkerInit } from '../layout/worker-init.js'
import { QueueServer } from './queue-server.js'
import { nextTurn } from '../../../primitives/timers.js'

export interface QueueClient {
  readonly port: MessagePort
  readonly server: TaskServer
  readonly post: (message: FromWorker, transfer?: readonly object[]) => void
  /** Pieces of output that were sent as messages. */
  readonly output: { readonly sent: number }
  readonly onMessage: (message: ToWorker) => void
  /** The next message that waits, without the event loop. */
  readonly take: () => unknown
  readonly bufferOf: (number: number) => SharedArrayBuffer
  /** To be called when calls have run, before this thread rests. */
  readonly checkBuiltIns: () => void
}

export function serveQueue(init: WorkerInit, client: QueueClient): QueueServer {
  const { port, server, onMessage } = client
  let isTurnPlanned = false
  const afterTurn = () => {
    isTurnPlanned = false
    queue.afterTurn()
  }
  const replies: Replies = {
    push: (kind, id, value) => queue.reply(kind, id, value),
    pushLate: (kind, id, value) => queue.replyLate(kind, id, value),
    flushLater() {
      if (isTurnPlanned) return
      isTurnPlanned = true
      nextTurn(afterTurn)
    },
  }
  const timed = timedReplies(replies, (id, at) => queue.note(REPLY_TIMED, id, at))
  let outbox: ReplyOutbox | undefined
  const byMessage = (push: (outbox: ReplyOutbox) => void) => {
    outbox ??= createReplyOutbox({ post: client.post, carrier: BY_MESSAGE, defer: nextTurn })
    push(outbox)
    outbox.flush()
  }
  const queue = new QueueServer(init, {
    port,
    load: server,
    run(call) {
      if (call.isTimed) queue.note(REPLY_TIMED, call.id, machineNow())
      if (call.isAnnounced) replies.push(REPLY_STARTED, call.id, undefined)
      server.start(call, call.isTimed ? timed : replies)
    },
    output: client.output,
    post: (kind, id, value) => byMessage((to) => to.push(kind, id, value)),
    postCarried: (kind, id, carriage: Carriage) => byMessage((to) => to.pushCarried(kind, id, carriage)),
    take: client.take,
    bufferOf: client.bufferOf,
    checkBuiltIns: client.checkBuiltIns,
    onMessage: (message) => onMessage(message as ToWorker),
  })
  return queue
}

/** The same, and notes with a minus when a function has returned its result, or has thrown. */
function timedReplies(replies: Replies, note: (id: number, at: number) => void): Replies {
  return {
    ...replies,
    push(kind, id, value) {
      if (kind <= REPLY_ERROR) note(id, -machineNow())
      replies.push(kind, id, value)
    },
  }
}
