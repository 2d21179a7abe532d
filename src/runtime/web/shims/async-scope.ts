// Shim for task/async-scope.ts. Browsers have no AsyncLocalStorage: a value is there until its callback returns, and not after an `await`.

import { sharedState } from '../../../primitives/shared-state.js'

export type Enter = <R>(callback: () => R) => R

/** In Node, as where a test runner imitates a page, its storage is one with that of the executors. */
const { process: node } = globalThis as unknown as { process?: Partial<NodeJS.Process> }
export const hooks = node?.getBuiltinModule?.('node:async_hooks')

type Values = ReadonlyMap<object, unknown>

/** The package is in several files, each with a copy of this one. */
const scope = sharedState<{ values: Values }>('web-scope', 1, () => ({ values: new Map() }))

function within<R>(values: Values, callback: () => R): R {
  const before = scope.values
  scope.values = values
  try {
    return callback()
  } finally {
    scope.values = before
  }
}

/** Enters the contexts of now, any number of times. */
export function enterLater(): Enter {
  if (hooks) return hooks.AsyncLocalStorage.snapshot()
  const { values } = scope
  return (callback) => within(values, callback)
}

/** For calls that are made after an `await`, in the contexts of now. */
export function acrossAwaits<Args extends unknown[], R>(call: (...args: Args) => R): (...args: Args) => R {
  if (hooks) return call
  const enter = enterLater()
  return (...args) => enter(() => call(...args))
}

/** Nothing is left behind by a task, so there is nothing to watch. */
export const stores = { areWatched: false, areEntered: false }

export interface Storage<T> {
  getStore(): T | undefined
  run<R>(value: T, callback: () => R): R
  enterWith(value: T): void
}

export function createStorage<T>(): Storage<T> {
  if (hooks) return new hooks.AsyncLocalStorage<T>()
  const storage: Storage<T> = {
    getStore: () => scope.values.get(storage) as T | undefined,
    run: (value, callback) => within(new Map(scope.values).set(storage, value), callback),
    enterWith: (value) => void (scope.values = new Map(scope.values).set(storage, value)),
  }
  return storage
}
