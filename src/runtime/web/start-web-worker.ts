// The page's side of one worker.
//
// A browser tells nobody that a worker has ended. So the worker says when it closes itself, its terminate() is watched, and where that is known
// to do no harm it holds a lock for which this side queues: see handshake.ts.

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
import { unwrap, wrapForWorker, type UnreadableMessage } from '../wire/messages.js'
import { nextTurn, startTimer } from '../../primitives/timers.js'
import { locks, mayLock, type WebWorker } from './browser.js'
import { createCancelledIds, noteCancelled } from './cancelled-ids.js'
import { ENDS, HELD, HELLO, type WebBeginMessage } from './handshake.js'

export interface WebWorkerSettings extends WorkerSettings {
  /** Makes a worker. */
  readonly start: () => WebWorker
  /** Calls of a worker that may wait on promises at a time. */
  readonly waitingPerWorker: number
}

export function startWebWorker(
  settings: WebWorkerSettings,
  ids: WorkerIds,
  events: WorkerEvents,
): PoolWorker {
  const worker = settings.start()
  const begin = beginOf(settings, ids)
  const life = new Life(worker, events)
  worker.addEventListener('message', ({ data }: { data: unknown }) => {
    if (life.isOver) return
    if (data === HELLO) {
      events.onHello?.()
      return worker.postMessage(wrapForWorker(begin), [])
    }
    if (data === HELD) return life.awaitEnd(begin.lock!)
    if (data === ENDS) return life.end({ how: 'by itself' })
    const message = unwrap(data)
    if (message !== undefined) life.onMessage(message)
  })
  worker.addEventListener('error', (event: ErrorEventLike) => life.onError(event))
  worker.addEventListener('messageerror', () => life.end({ how: 'because what it sent cannot be read here' }))
  watchTerminate(worker, () => life.end({ how: 'by its terminate()' }))
  return {
    saysHello: true,
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
  const lock = !mayLock()
    ? undefined
    : `threadwise ${name}-${ids.id} ${Math.random().toString(36).slice(2)}${performance.now()}`
  const own = { name, ids, lock, waiting: waitingPerWorker, cancelled: createCancelledIds(), sideBySide }
  return { type: 'begin', argv: [], ...own, workerData: carriedData.ofMessage }
}

/** Somebody else may end it. */
function watchTerminate(worker: WebWorker, onEnd: () => void): void {
  const terminate = worker.terminate.bind(worker)
  const own = () => {
    terminate()
    onEnd()
  }
  Object.defineProperty(worker, 'terminate', { value: own, configurable: true, writable: true })
}

interface ErrorEventLike {
  /** Of a file that cannot be loaded there is none. */
  readonly message?: string
  readonly filename?: string
  readonly lineno?: number
  preventDefault(): void
}

/** Milliseconds in which a worker tells why it ends, unless it is blocked. */
const TELL_MS = 500

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
    if (type === 'unreadable') return this.end(unreadable(message))
    this.#events.onMessage(message)
    if (type === 'uncaught') this.end({ how: 'by itself' }) // in a browser it would go on
  }

  /** Its file cannot be loaded, or something was thrown outside of a task and the worker did not tell. */
  onError(event: ErrorEventLike): void {
    event.preventDefault()
    if (this.isOver) return
    const error = errorOf(event)
    if (this.#isReady) {
      // The worker tells it whole, when its own listeners have seen it.
      startTimer(TELL_MS, () => this.end(outsideError(error)))
      return
    }
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

function unreadable(message: FromWorker): WorkerExit {
  const { reason } = message as UnreadableMessage
  return { how: `because it cannot read a message (${reason})`, blame: 'message' }
}

function errorOf({ message, filename, lineno }: ErrorEventLike): Error {
  if (!message) return new Error('the file of the worker, or one that it imports, could not be loaded')
  return new Error(`${describe(message)} (${filename}:${lineno})`)
}
