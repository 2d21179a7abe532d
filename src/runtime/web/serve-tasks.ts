// serve: what runs inside a Web Worker.

import { ThreadwiseError } from '../../errors/errors.js'
import { tasksOf } from '../task/load-task.js'
import { registry } from '../task/task-context.js'
import { runHook, setUp, type Hook } from '../task/worker-hooks.js'
import { BY_MESSAGE, type Carried } from '../wire/codec/packet.js'
import { unwrapForWorker, wrap, type FromWorker, type ToWorker } from '../wire/messages.js'
import { carryThrown } from '../wire/thrown.js'
import { TaskServer } from '../worker/task-server.js'
import { enterPlace } from '../worker/worker-place.js'
import { nextTurn } from '../../primitives/timers.js'
import { locks } from './browser.js'
import { watchCancelled } from './cancelled-ids.js'
import { ENDS, HELD, HELLO, type WebBeginMessage } from './handshake.js'
import { inline } from './inline-state.js'
import { workerScope, type WorkerScope } from './worker-scope.js'

/**
 * Makes the functions of a module the tasks of this worker. To be called once, in the file of a worker that `web` starts.
 *
 * @param tasks the module. Its exports `setup` and `teardown` are no tasks: they run before the first call and after the last one.
 * @throws TW_ERR_INVALID_CALL in a page, or without a module
 * @example
 * import { serve } from 'threadwise/web/worker'
 * import * as tasks from './tasks.js'
 * serve(tasks)
 */
export function serve(tasks: object): void {
  const isModule = typeof tasks === 'object' && tasks !== null
  if (!isModule) wrong('a module, as in: import * as tasks from "./tasks.js"', tasks)
  if (inline.onServe) return inline.onServe((scope) => serveIn(scope, tasks))
  const scope = workerScope()
  if (!scope) wrong('to be called in a Web Worker', 'a page, a server, or a worker of another kind')
  serveIn(scope, tasks)
}

function serveIn(scope: WorkerScope, tasks: object): void {
  new Serving(scope, tasks as Record<string, unknown>).start()
}

function wrong(expected: string, received: unknown): never {
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call: 'serve()', expected, received })
}

interface Thrown {
  readonly defaultPrevented: boolean
  readonly error?: unknown
  readonly message?: string
  readonly reason?: unknown
}

class Serving {
  readonly #scope: WorkerScope
  readonly #tasks: Record<string, unknown>
  #server: TaskServer | undefined
  #tearDown: (() => Promise<void>) | undefined
  readonly #startedAt = performance.now()
  /** Milliseconds in which messages of the page kept the thread busy. */
  #busyMs = 0

  constructor(scope: WorkerScope, tasks: Record<string, unknown>) {
    this.#scope = scope
    this.#tasks = tasks
  }

  start(): void {
    this.#scope.addEventListener('message', ({ data }: { data: unknown }) => {
      const message = unwrapForWorker(data)
      if (message !== undefined) this.#timed(() => this.#onMessage(message))
    })
    this.#scope.addEventListener('messageerror', () => {
      const reason = 'this browser cannot bring what is in it to a worker'
      this.#post({ type: 'unreadable', reason })
    })
    this.#scope.addEventListener('error', (event: Thrown) => this.#judge(event, event.error ?? event.message))
    this.#scope.addEventListener('unhandledrejection', (event: Thrown) => this.#judge(event, event.reason))
    const close = this.#scope.close.bind(this.#scope)
    const post = this.#scope.postMessage.bind(this.#scope) // a task may put another in its place
    const ends = () => {
      post(ENDS)
      close()
    }
    Object.defineProperty(this.#scope, 'close', { value: ends, configurable: true, writable: true })
    this.#scope.postMessage(HELLO)
  }

  readonly #post = (message: FromWorker, transfer: readonly object[] = []): void =>
    this.#scope.postMessage(wrap(message), transfer)

  #timed(run: () => void): void {
    const since = performance.now()
    run()
    this.#busyMs += performance.now() - since
  }

  /** Once all listeners have seen it, also those that were added after ours: what one of them handles ends nothing. */
  #judge(event: Thrown, thrown: unknown): void {
    nextTurn(() => event.defaultPrevented || this.#tell(thrown))
  }

  /** An error outside of all tasks ends the worker, as it ends a thread of Node: the page sees to that. */
  #tell(thrown: unknown): void {
    const type = this.#server ? 'uncaught' : 'start-failed'
    this.#post({ type, error: carryThrown(thrown, BY_MESSAGE).carried })
  }

  #onMessage(message: ToWorker): void {
    const server = this.#server
    if (Array.isArray(message)) server?.runBatch(message)
    else if (message.type === 'begin') void this.#begin(message as WebBeginMessage)
    else if (message.type === 'retire') this.#post({ type: 'retired' })
    else if (message.type === 'close') void this.#end()
    else if (message.type === 'inspect') this.#report()
    else server?.control(message)
  }

  async #begin({
    name,
    ids,
    lock,
    waiting,
    cancelled,
    workerData,
    sideBySide,
  }: WebBeginMessage): Promise<void> {
    try {
      if (lock !== undefined && !this.#scope.isInline && (await hold(lock))) this.#scope.postMessage(HELD)
      const place = enterPlace({ name, ...ids }, workerData)
      const { find, hooks } = tasksOf(this.#tasks, 'The module that was served')
      await setUp(hooks, place, (message) => this.#post(message))
      this.#tearDown = tearDownOf(hooks.teardown, place)
      const cancel = (id: number) => server.control({ type: 'cancel', id, reason: aborted() })
      const server: TaskServer = new TaskServer(find, {
        post: this.#post,
        send: this.#post,
        carrier: BY_MESSAGE,
        place,
        sideBySide,
        defer: (callback) => nextTurn(() => this.#timed(callback)),
        takesTurns: waiting === 1,
        poll: cancelled && watchCancelled(cancelled, cancel, { now: () => performance.now(), nextTurn }),
      })
      const others = registry.whileWaiting // in the thread of a page there may be several
      registry.whileWaiting = () => either(server.onlyWaiting, others?.())
      this.#server = server
      this.#post({ type: 'ready', tearsDown: hooks.teardown !== undefined })
    } catch (error) {
      this.#tell(error)
    }
  }

  async #end(): Promise<void> {
    this.#server?.flush()
    try {
      await this.#tearDown?.()
    } catch (error) {
      this.#tell(error)
    }
    this.#scope.close()
  }

  /** A browser tells neither CPU time nor memory. */
  #report(): void {
    const activeMs = this.#busyMs
    const idleMs = Math.max(0, performance.now() - this.#startedAt - activeMs)
    this.#post({ type: 'report', usage: { ...UNKNOWN, activeMs, idleMs } })
  }
}

function either<T>(one: T | undefined, other: T | undefined): T | undefined {
  return one && other ? undefined : (one ?? other)
}

const UNKNOWN = { osThreadId: null, cpu: null, heapBytes: null, rssBytes: null }

/** For a task that does not let the message come, which has the reason. */
function aborted(): Carried {
  return carryThrown(new DOMException('The call was aborted.', 'AbortError'), BY_MESSAGE).carried
}

function tearDownOf(hook: Hook | undefined, place: ReturnType<typeof enterPlace>) {
  return hook && (() => runHook(hook, place))
}

/** For as long as this worker lives. False: there are no locks here. */
function hold(lock: string): Promise<boolean> {
  return new Promise((resolve) => {
    const forEver = () => {
      resolve(true)
      return new Promise(() => {})
    }
    const held = locks()?.request(lock, {}, forEver)
    if (held)
      held.catch(() => resolve(false)) // a frame without an origin has none
    else resolve(false)
  })
}
