// Makes a worker by the user's function, and finds in it the address of the file: bundlers ask that `new Worker(new URL(...))` stands in the code as
// it is, so what is done to the address (Trusted Types, a file of another origin) is done while the function runs.

import { browser, type WebWorker } from './browser.js'

/** As the second argument of `new Worker()`. */
export interface WorkerFileOptions {
  readonly type?: 'classic' | 'module'
  readonly name?: string
}

/** Gives what `new Worker()` gets in place of the address: a text, or a TrustedScriptURL. */
export type WorkerUrl = (url: string, options: WorkerFileOptions) => unknown

type WorkerType = new (url: unknown, options?: WorkerFileOptions) => WebWorker

/** @throws what the function throws; an Error for what is no worker of a page */
export function makeWorker(create: () => WebWorker, workerUrl: WorkerUrl | undefined): WebWorker {
  const { Worker: Real } = browser as { readonly Worker: WorkerType }
  if (!workerUrl) return checked(create())
  const make = (url: unknown, options?: WorkerFileOptions) =>
    new Real(workerUrl(String(url), options ?? {}), options)
  return checked(withWorker(make, create))
}

/** The address of the file, without a worker: there may be none here. */
export function fileOfWorker(create: () => WebWorker): string | undefined {
  let file: string | undefined
  const note = (url: unknown): never => {
    file = String(url)
    throw new Error('only its address was asked for')
  }
  try {
    withWorker(note, create)
  } catch {
    // What was asked for is known, or the function needs more than a worker.
  }
  return file
}

function withWorker<R>(make: (url: unknown, options?: WorkerFileOptions) => WebWorker, run: () => R): R {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'Worker')
  const value = function (url: unknown, options?: WorkerFileOptions) {
    return make(url, options)
  }
  Object.defineProperty(globalThis, 'Worker', { value, configurable: true, writable: true })
  try {
    return run()
  } finally {
    if (before) Object.defineProperty(globalThis, 'Worker', before)
    else Reflect.deleteProperty(globalThis, 'Worker')
  }
}

function checked(worker: WebWorker): WebWorker {
  const isWorker = typeof worker?.postMessage === 'function' && typeof worker.terminate === 'function'
  if (isWorker) return worker
  throw new TypeError('the function must give a Worker: not a SharedWorker, and no promise')
}
