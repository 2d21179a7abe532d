// The worker's side of streams: their items and pauses as messages, and what their callers say meanwhile.

import { StreamProducer, type ItemSink } from '../task/stream-producer.js'
import { CREDIT_SHIFT, REPLY_ITEMS, REPLY_PAUSES, REPLY_RUNS, type CreditMessage } from '../wire/messages.js'
import { notSendable } from '../wire/not-cloneable.js'
import type { ReplyOutbox, WorkerPort } from './reply-outbox.js'
import type { Turns, Wait } from './turns.js'

export interface StreamCall {
  readonly id: number
  readonly name: string
  readonly flags: number
  readonly call: () => unknown
  /** Runs code with the context of the call. */
  readonly enter: <R>(code: () => R) => R
}

export interface StreamPort extends Pick<WorkerPort, 'defer'> {
  /** A stream that waits for its reader lets others in. */
  readonly turns: Turns | undefined
}

export function createStreamServer(outbox: ReplyOutbox, port: StreamPort): StreamServer {
  return new StreamServer(outbox, port)
}

export type { StreamServer }

class StreamServer {
  readonly #outbox: ReplyOutbox
  readonly #port: StreamPort
  readonly #open = new Map<number, StreamProducer>()
  /** Those that wait for credit. */
  readonly #waits = new Map<number, Wait>()
  /** A call may be stopped while it waits its turn. */
  readonly #stoppedEarly = new Set<number>()

  constructor(outbox: ReplyOutbox, port: StreamPort) {
    this.#outbox = outbox
    this.#port = port
  }

  /** Settles when the items have ended. */
  start({ id, name, flags, call, enter }: StreamCall): Promise<void> {
    if (this.#stoppedEarly.delete(id)) return Promise.resolve()
    const sink = messageSink({ id, name, outbox: this.#outbox, defer: this.#port.defer })
    sink.rests = (until) => this.#rest(id, until)
    const producer = new StreamProducer({ task: name, credit: flags >> CREDIT_SHIFT, sink, enter })
    const ended = producer.run(call)
    this.#open.set(id, producer)
    const forget = () => {
      this.#open.delete(id)
      this.#waits.delete(id)
    }
    ended.then(forget, forget)
    return ended
  }

  grant({ id, count }: CreditMessage): void {
    const wait = this.#waits.get(id)
    const grant = () => this.#open.get(id)?.grant(count)
    this.#waits.delete(id)
    if (wait) this.#port.turns!.answer(wait, grant)
    else grant()
  }

  /** An asynchronous iterator goes on when it gets credit; the code of another one never awaits anything. */
  #rest(id: number, until: 'credit' | 'end'): void {
    const wait = this.#port.turns?.leave(id, false)
    if (wait && until === 'credit') this.#waits.set(id, wait)
  }

  /** `willStart`: it has not been called yet. */
  stop(id: number, willStart: boolean): void {
    const producer = this.#open.get(id)
    const wait = this.#waits.get(id)
    if (wait) this.#port.turns!.drop(wait)
    if (producer) producer.stop()
    else if (willStart) this.#stoppedEarly.add(id)
  }
}

interface SinkOptions {
  readonly id: number
  readonly name: string
  readonly outbox: ReplyOutbox
  readonly defer: WorkerPort['defer']
}

function messageSink({ id, name, outbox, defer }: SinkOptions): ItemSink {
  let transfer: object[] = []
  return {
    defer,
    runs: () => outbox.postNow([REPLY_RUNS, id, undefined, 0]),
    keep(value) {
      try {
        const carriage = outbox.carry(value)
        if (carriage.transfer) transfer.push(...carriage.transfer)
        return carriage.carried
      } catch (error) {
        throw notSendable('An item', name, { root: 'item', error })
      }
    },
    send(items, isPausing) {
      const pause = isPausing ? [REPLY_PAUSES, id, undefined, 0] : []
      const moved = transfer
      transfer = []
      if (items.length === 0) return outbox.postNow(pause)
      try {
        outbox.postNow([REPLY_ITEMS, id, items, 0, ...pause], moved)
      } catch (error) {
        throw notSendable('An item', name, { root: 'item', error })
      }
    },
  }
}

/** Sends what a task reports. */
export function progressReporter(task: string, send: (value: unknown) => void): (value: unknown) => void {
  return (value) => {
    try {
      send(value)
    } catch (error) {
      throw notSendable('A progress value', task, { root: 'progress', error })
    }
  }
}
