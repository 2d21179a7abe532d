// A worker that runs in the page's own thread, where no other can start: on `fallback: 'inline'`. Component tests have a page without workers.
//
// It loads the file of the worker as a module of the page. serve() in it finds out that it is asked for, and serves by messages as ever. So
// calls are the same, copies of what they are given included; but a task that blocks blocks the page, and nothing can end it.

import { nextTurn } from '../../primitives/timers.js'
import type { WebWorker } from './browser.js'
import { HELLO } from './handshake.js'
import { fileOfWorker, makeWorker, type WorkerUrl } from './make-worker.js'
import { inline, type Start } from './inline-state.js'

type Listener = (event: {
  readonly data?: unknown
  readonly message?: string
  preventDefault(): void
}) => void

interface Sent {
  readonly data: unknown
}

/** A worker of its own thread, if one starts; otherwise, and from its first error before its first word on, one of this thread. */
export function withInlineFallback(create: () => WebWorker, workerUrl: WorkerUrl | undefined): WebWorker {
  return new FallbackWorker(create, workerUrl)
}

class FallbackWorker implements WebWorker {
  readonly #create: () => WebWorker
  readonly #listeners = new Map<string, Listener[]>()
  #inner: WebWorker | undefined
  #isOver = false

  constructor(create: () => WebWorker, workerUrl: WorkerUrl | undefined) {
    this.#create = create
    try {
      this.#use(makeWorker(create, workerUrl))
    } catch {
      this.#goInline()
    }
  }

  postMessage(message: unknown, transfer: never[]): void {
    this.#inner!.postMessage(message, transfer)
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener])
  }

  terminate(): void {
    this.#isOver = true
    this.#inner?.terminate()
  }

  #tell(type: string, event: Parameters<Listener>[0]): void {
    if (!this.#isOver) for (const listener of this.#listeners.get(type) ?? []) listener(event)
  }

  #use(worker: WebWorker): void {
    let hasSpoken = false
    this.#inner = worker
    worker.addEventListener('message', (event: Parameters<Listener>[0]) => {
      hasSpoken ||= event.data === HELLO
      this.#tell('message', event)
    })
    worker.addEventListener('messageerror', (event: Parameters<Listener>[0]) =>
      this.#tell('messageerror', event),
    )
    worker.addEventListener('error', (event: Parameters<Listener>[0]) => {
      if (hasSpoken) return this.#tell('error', event)
      event.preventDefault()
      worker.terminate()
      if (!this.#isOver) this.#goInline()
    })
  }

  #goInline(): void {
    const fail = (error: unknown) => this.#tell('error', { message: String(error), preventDefault() {} })
    load(fileOfWorker(this.#create)).then((start) => {
      if (!this.#isOver) this.#use(inlineWorker(start))
    }, fail)
  }
}

function load(file: string | undefined): Promise<Start> {
  const loaded = inline.loading.then(async () => {
    if (file === undefined) throw new Error('the function makes no worker of a file')
    let start = inline.starts.get(file)
    if (start) return start
    inline.onServe = (served) => (start = served)
    try {
      await import(/* @vite-ignore */ /* webpackIgnore: true */ file)
    } finally {
      inline.onServe = undefined
    }
    if (!start) throw new Error(`${file} does not call serve() of threadwise/web/worker`)
    inline.starts.set(file, start)
    return start
  })
  inline.loading = loaded.then(
    () => {},
    () => {},
  )
  return loaded
}

/** Both ends of it. */
function inlineWorker(start: Start): WebWorker {
  const near: ((event: Sent) => void)[] = []
  const far: ((event: Sent) => void)[] = []
  let isOver = false
  const sendTo = (
    listeners: ((event: Sent) => void)[],
    message: unknown,
    transfer: readonly object[] = [],
  ) => {
    const data: unknown = structuredClone(message, { transfer: transfer as ArrayBuffer[] })
    nextTurn(() => {
      if (!isOver) for (const listener of listeners) listener({ data })
    })
  }
  const listenTo =
    (listeners: ((event: Sent) => void)[]) => (type: string, listener: (event: never) => void) => {
      if (type === 'message') listeners.push(listener as (event: Sent) => void)
    }
  const worker = {
    postMessage: (message: unknown, transfer: readonly object[]) => sendTo(far, message, transfer),
    addEventListener: listenTo(near),
    terminate: () => void (isOver = true),
  }
  const scope = {
    isInline: true,
    postMessage: (message: unknown, transfer?: readonly object[]) => sendTo(near, message, transfer),
    addEventListener: listenTo(far),
    close() {},
  }
  nextTurn(() => start(scope)) // once somebody listens
  return worker
}
