// The worker's side of streams: their items and pauses as messages, and what their callers say meanwhile.

import { isMoving } from '../task/move.js'
import { ALONE, StreamProducer, type ItemSink } from '../task/stream-producer.js'
import { CREDIT_SHIFT, REPLY_ITEMS, REPLY_PAUSES, REPLY_RUNS, type CreditMessage } from '../wire/messages.js'
import { MessageParts } from '../wire/message-parts.js'
import { notCloneable } from '../wire/not-cloneable.js'
import type { ReplyOutbox, WorkerPort } from './reply-outbox.js'

export interface StreamCall {
  readonly id: number
  readonly name: string
  readonly flags: number
  readonly call: () => unknown
  /** Runs code with the context of the call. */
  readonly enter: <R>(code: () => R) => R
}

export function createStreamServer(outbox: ReplyOutbox, defer: WorkerPort['defer']): StreamServer {
  return new StreamServer(outbox, defer)
}

export type { StreamServer }

class StreamServer {
  readonly #outbox: ReplyOutbox
  readonly #defer: WorkerPort['defer']
  readonly #open = new Map<number, StreamProducer>()
  /** A call may be stopped while it waits its turn. */
  readonly #stoppedEarly = new Set<number>()

  constructor(outbox: ReplyOutbox, defer: WorkerPort['defer']) {
    this.#outbox = outbox
    this.#defer = defer
  }

  /** Settles when the items have ended. */
  start({ id, name, flags, call, enter }: StreamCall): Promise<void> {
    if (this.#stoppedEarly.delete(id)) return Promise.resolve()
    const sink = messageSink({ id, name, outbox: this.#outbox, defer: this.#defer })
    const drawer = new StreamProducer({ task: name, credit: flags >> CREDIT_SHIFT, sink, enter })
    const ended = drawer.run(call)
    this.#open.set(id, drawer)
    const forget = () => void this.#open.delete(id)
    ended.then(forget, forget)
    return ended
  }

  grant({ id, count }: CreditMessage): void {
    this.#open.get(id)?.grant(count)
  }

  /** `willStart`: it has not been called yet. */
  stop(id: number, willStart: boolean): void {
    const drawer = this.#open.get(id)
    if (drawer) drawer.stop()
    else if (willStart) this.#stoppedEarly.add(id)
  }
}

interface SinkTerms {
  readonly id: number
  readonly name: string
  readonly outbox: ReplyOutbox
  readonly defer: WorkerPort['defer']
}

function messageSink({ id, name, outbox, defer }: SinkTerms): ItemSink {
  const parts = new MessageParts()
  return {
    defer,
    runs: () => outbox.postNow([REPLY_RUNS, id, undefined, 0]),
    keep: (value) => keep(value, parts),
    send(items, isPausing) {
      const pause = isPausing ? [REPLY_PAUSES, id, undefined, 0] : []
      if (items.length === 0) return outbox.postNow(pause)
      try {
        // Several items in one message are plain data: draw-items.ts sends the others alone.
        if (items.length > 1) return outbox.postNow([REPLY_ITEMS, id, items, 0, ...pause])
        outbox.postPart(REPLY_ITEMS, id, items)
        if (isPausing) outbox.postNow(pause)
      } catch {
        for (const item of items) sendAlone(item)
        if (isPausing) outbox.postNow(pause)
      }
    },
  }

  function sendAlone(item: unknown): void {
    try {
      outbox.postPart(REPLY_ITEMS, id, [item])
    } catch (error) {
      throw notCloneable('An item', name, error)
    }
  }
}

/** Copies what structured clone leaves as it is; of other values a clone may lose what the channel would keep. */
function keep(value: unknown, parts: MessageParts): unknown {
  if (typeof value === 'object' && value !== null) {
    parts.clear()
    if (isMoving(value) || !parts.add(value)) return ALONE
    try {
      return structuredClone(value)
    } catch {
      return ALONE // it cannot be sent either, which is told where it is sent
    }
  }
  return typeof value === 'function' || typeof value === 'symbol' ? ALONE : value
}

/** Sends what a task reports. */
export function progressReporter(task: string, send: (value: unknown) => void): (value: unknown) => void {
  return (value) => {
    try {
      send(value)
    } catch (error) {
      throw notCloneable('A progress value', task, error)
    }
  }
}
