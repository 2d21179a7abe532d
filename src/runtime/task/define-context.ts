// defineContext: values that belong to a call without being among its arguments, such as the id of a request.
//
// Each is an AsyncLocalStorage of the platform. What is ours is that its value travels with a call, from where the call is
// made to the task. The registry is shared, as that of register-class.ts.

import type { AsyncLocalStorage } from 'node:async_hooks'
import { checkOption } from '../../errors/check-options.js'
import { sharedState } from '../../primitives/shared-state.js'
import { createStorage, enterLater, stores, type Enter } from './async-scope.js'
import { RESERVED, type TaskFunction } from './task-function.js'

/** A value that follows a call. It is an AsyncLocalStorage with a name. What pages have of that stands here: they have no types of Node. */
export interface Context<T> extends AsyncLocalStorage<T> {
  /** By which both sides know it. */
  readonly name: string
  /** The value that `run` has set here; undefined: none. */
  getStore(): T | undefined
  /** Gives what `callback` gives, in which `getStore()` gives the value. */
  run<R>(value: T, callback: () => R): R
  run<R, Args extends unknown[]>(value: T, callback: (...args: Args) => R, ...args: Args): R
}

interface Storage {
  getStore(): unknown
  enterWith(value: unknown): void
  run<R>(value: unknown, callback: () => R): R
}

interface ContextRegistry {
  /** 0 as long as nobody uses it: all that a call looks at then. */
  count: number
  readonly byName: Map<string, Storage>
}

/** Names and values in turn. Undefined values are left out. */
export type ContextValues = unknown[]

export const contexts = sharedState<ContextRegistry>('contexts', 1, () => ({
  count: 0,
  byName: new Map(),
}))

/**
 * Defines a value that travels with each call: what `getStore()` gives where `run`, `map` or `tasks.NAME` is called, it
 * gives in the task, before and after each `await`. To be called in a module that both sides import, the caller's program
 * and the task module; a worker whose module does not define a context never sees its value.
 *
 * Values are copied like arguments (on `inline` and `concurrent` they are shared), and classes of `registerClass` kept.
 * `undefined` does not travel. A call whose value cannot be copied rejects with TW_ERR_NOT_CLONEABLE.
 *
 * @param name known to both sides. The same name gives the same object, also from another copy of the package.
 * @throws TW_ERR_INVALID_OPTION
 * @example
 * export const request = defineContext('request')
 * // in the server
 * await request.run({ id: 'r-17' }, () => pool.tasks.render(data))
 * // in the task
 * console.log(request.getStore()?.id)
 */
export function defineContext<T = unknown>(name: string): Context<T> {
  checkOption(typeof name === 'string' && name !== '', 'the name of a context', 'a non-empty string', name)
  const known = contexts.byName.get(name)
  if (known) return known as Context<T>
  const storage = createStorage<T>()
  Object.defineProperty(storage, 'name', { value: name, enumerable: true })
  contexts.byName.set(name, storage)
  contexts.count = contexts.byName.size
  return storage as Context<T>
}

/** The values where this is called; undefined when there are none. */
export function contextValues(): ContextValues | undefined {
  if (contexts.count === 0) return undefined
  let values: ContextValues | undefined
  for (const [name, storage] of contexts.byName) {
    const value = storage.getStore()
    if (value !== undefined) (values ??= []).push(name, value)
  }
  return values
}

/** Runs the callback with these values, and with none in the other contexts that are defined here. */
export function runInContexts<R>(values: ContextValues, callback: () => R): R {
  return inOwnContexts(() => runWith(values, callback))
}

/** The same where no other call can have left a value behind. */
export function runWith<R>(values: ContextValues, callback: () => R): R {
  const given = new Map<unknown, unknown>()
  for (let i = 0; i < values.length; i += 2) {
    const name = values[i]
    given.set(name, values[i + 1])
    // One of ours is there for whoever asks for it within this call, such as an executor that its task makes.
    if (typeof name === 'string' && name.startsWith(RESERVED)) defineContext(name)
  }
  let run = callback
  for (const [name, storage] of contexts.byName) {
    const inner = run
    run = () => storage.run(given.get(name), inner)
  }
  return run()
}

/**
 * Runs the callback in the contexts of now; what it changes with enterWith() stays in it. storage.run() alone does not put back a value
 * that it has not changed itself (Node 20).
 */
function inOwnContexts<R>(callback: () => R): R {
  if (contexts.count === 0) return callback()
  const before = [...contexts.byName.values()].map((storage) => ({ storage, value: storage.getStore() }))
  try {
    return callback()
  } finally {
    for (const { storage, value } of before) if (storage.getStore() !== value) storage.enterWith(value)
  }
}

/** A task of which a call leaves the contexts of its caller's thread as they were. */
export function keepingContexts(task: TaskFunction): TaskFunction {
  return contexts.count === 0 ? task : (...args: unknown[]) => inOwnContexts(() => task(...args) as unknown)
}

/** A task for many calls in a row that one call of ours makes: each in the contexts in which the first one is made. */
export function apartFromEachOther(task: TaskFunction): TaskFunction {
  if (contexts.count === 0 && !stores.areWatched) return task
  let enter: Enter | undefined
  return (...args: unknown[]) => {
    enter ??= enterLater()
    const isAlone = stores.areWatched && !stores.areEntered
    return isAlone ? (task(...args) as unknown) : enter(() => task(...args) as unknown)
  }
}
