// Connects a worker's end of the shared queue with the server that runs its calls.

import type { MessagePort } from 'node:worker_threads'
import { isMoving } from '../../task/move.js'
import { machineNow } from '../../wire/machine-clock.js'
import {
  REPLY_ERROR,
  REPLY_RESULT,
  REPLY_STARTED,
  REPLY_TIMED,
  type FromWorker,
  type ToWorker,
} from '../../wire/messages.js'
import { createReplyOutbox, type ReplyOutbox, type Replies } from '../../worker/reply-outbox.js'
import type { TaskServer } from '../../worker/task-server.js'
import type { CopyBuffers } from '../../wire/message-parts.js'
import type { WorkerInit } from '../layout/worker-init.js'
import { QueueServer } from './queue-server.js'

export interface QueueClient {
  readonly port: MessagePort
  readonly server: TaskServer
  readonly post: (message: FromWorker, transfer?: readonly object[]) => void
  readonly copyBuffers: CopyBuffers
  readonly onMessage: (message: ToWorker) => void
  /** The next message that waits, without the event loop. */
  readonly take: () => unknown
  readonly bufferOf: (number: number) => SharedArrayBuffer
}

/** Only a message can move the buffers of a result. */
const mustPost = (kind: number, value: unknown) => kind === REPLY_RESULT && isMoving(value)

export function serveQueue(init: WorkerInit, client: QueueClient): QueueServer {
  const { port, server, copyBuffers, onMessage } = client
  let isTurnPlanned = false
  const afterTurn = () => {
    isTurnPlanned = false
    queue.afterTurn()
  }
  const replies: Replies = {
    push: (kind, id, value) => (mustPost(kind, value) ? queue.replyByMessage : queue.reply)(kind, id, value),
    pushLate: (kind, id, value) => (mustPost(kind, value) ? post : queue.replyLate)(kind, id, value),
    flushLater() {
      if (isTurnPlanned) return
      isTurnPlanned = true
      setImmediate(afterTurn)
    },
  }
  const timed = timedReplies(replies, (id, at) => queue.note(REPLY_TIMED, id, at))
  let outbox: ReplyOutbox | undefined
  const post = (kind: number, id: number, value: unknown) => {
    outbox ??= createReplyOutbox({ post: client.post, copyBuffers, defer: setImmediate })
    outbox.push(kind, id, value)
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
    post,
    take: client.take,
    bufferOf: client.bufferOf,
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
