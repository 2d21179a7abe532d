// The page's side of one worker.
//
// A browser tells nobody that a worker has ended. So the worker holds a lock, and this side queues for it: see handshake.ts.

import { describe } from '../../errors/errors.js'
import type { WorkerSettings } from '../pool/pool-options.js'
import {
  outsideError,
  type PoolWorker,
  type WorkerEvents,
  type WorkerExit,
  type WorkerIds,
} from '../pool/workers/worker.js'
import { BY_MESSAGE, carry } from '../wire/codec/packet.js'
import { unwrap, wrapForWorker } from '../wire/messages.js'
import { nextTurn } from '../../primitives/timers.js'
import { locks, type WebWorker } from './browser.js'
import { createCancelledIds, noteCancelled } from './cancelled-ids.js'
import { HELD, HELLO, type WebBeginMessage } from './handshake.js'

export interface WebWorkerSettings extends WorkerSettings {
  /** The user's: makes a worker. */
  readonly create: () => WebWorker
  /** Calls of a worker that may wait on promises at a time. */
  readonly waitingPerWorker: number
}

export function startWebWorker(
  settings: WebWorkerSettings,
  ids: WorkerIds,
  events: WorkerEvents,
): PoolWorker {
  const worker = settings.create()
  const begin = beginOf(settings, ids)
  const life = new Life(worker, events)
  worker.addEventListener('message', ({ data }: { data: unknown }) => {
    if (life.isOver) return
    if (data === HELLO) return worker.postMessage(wrapForWorker(begin), [])
    if (data === HELD) return life.awaitEnd(begin.lock)
    const message = unwrap(data)
    if (message !== undefined) life.onMessage(message)
  })
  worker.addEventListener('error', (event: ErrorEventLike) => life.onError(event))
  worker.addEventListener('messageerror', () => life.end({ how: 'because what it sent cannot be read here' }))
  return {
    channel: {
      carrier: BY_MESSAGE,
      send(message, transfer = []) {
        worker.postMessage(wrapForWorker(message), transfer as never[])
        const isCancel = !Array.isArray(message) && message.type === 'cancel'
        if (isCancel && begin.cancelled) noteCancelled(begin.cancelled, message.id)
      },
    },
    identity: { ...ids, name: `${settings.name}-${ids.id}` },
    terminate: () => life.end({ how: 'as the pool has ended it' }),
  }
}

function beginOf(
  { name, carriedData, sideBySide, waitingPerWorker }: WebWorkerSettings,
  ids: WorkerIds,
): WebBeginMessage {
  const lock = `threadwise ${name}-${ids.id} ${Math.random().toString(36).slice(2)}${performance.now()}`
  const own = { name, ids, lock, waiting: waitingPerWorker, cancelled: createCancelledIds(), sideBySide }
  return { type: 'begin', argv: [], ...own, workerData: carriedData.ofMessage }
}

interface ErrorEventLike {
  /** Of a file that cannot be loaded there is none. */
  readonly message?: string
  readonly filename?: string
  readonly lineno?: number
  preventDefault(): void
}

type FromWorker = NonNullable<ReturnType<typeof unwrap>>

class Life {
  isOver = false
  #isReady = false
  readonly #worker: WebWorker
  readonly #events: WorkerEvents
  readonly #queueing = new AbortController()

  constructor(worker: WebWorker, events: WorkerEvents) {
    this.#worker = worker
    this.#events = events
  }

  /** Not where the page is not secure: then only the end that the pool wants is known. */
  awaitEnd(lock: string): void {
    const { signal } = this.#queueing
    const onFree = () => nextTurn(() => this.end({ how: 'by itself' })) // its last messages may still come
    locks()
      ?.request(lock, { signal }, onFree)
      .catch(() => {}) // it was taken off the queue
  }

  onMessage(message: FromWorker): void {
    const type = Array.isArray(message) ? 'replies' : message.type
    if (type === 'ready') this.#isReady = true
    this.#events.onMessage(message)
    if (type === 'uncaught') this.end({ how: 'by itself' }) // in a browser it would go on
  }

  /** Its file cannot be loaded, or something was thrown outside of a task and the worker did not tell. */
  onError(event: ErrorEventLike): void {
    event.preventDefault()
    if (this.isOver) return
    const error = errorOf(event)
    if (this.#isReady) return this.end(outsideError(error))
    this.#events.onMessage({ type: 'start-failed', error: carry(error, { carrier: BY_MESSAGE }).carried })
  }

  end(exit: WorkerExit): void {
    if (this.isOver) return
    this.isOver = true
    this.#queueing.abort()
    this.#worker.terminate()
    nextTurn(() => this.#events.onExit(exit))
  }
}

function errorOf({ message, filename, lineno }: ErrorEventLike): Error {
  if (!message) return new Error('the file of the worker, or one that it imports, could not be loaded')
  return new Error(`${describe(message)} (${filename}:${lineno})`)
}
