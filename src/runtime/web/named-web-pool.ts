// Finds a pool again by its name while an app is developed: hot replacement loads the module that makes it once more, and the pool before would stay,
// with all of its workers. See runtime/executor/named-pool.ts, which does the same on Node.

import { sharedState } from '../../primitives/shared-state.js'
import type { WebWorker } from './browser.js'
import { fileOfWorker } from './make-worker.js'
import type { Executor } from '../executor/executor.js'

interface NamedPool {
  readonly executor: Executor<object>
  /** The address of the file of its workers; undefined: nobody knows. */
  readonly file: string | undefined
  readonly options: Readonly<Record<string, unknown>>
  /** How often it was given out and not closed: the module that is replaced has no chance to close it. */
  holders: number
}

const named = sharedState('named-web-pools', 1, () => ({ pools: new Map<string, NamedPool>() }))

/** Bundlers put its value here; see scripts/build.mjs. */
declare const THREADWISE_NODE_ENV: string

function isDevelopment(): boolean {
  try {
    return THREADWISE_NODE_ENV === 'development'
  } catch {
    return false // no bundler, or one that does not tell
  }
}

/** The open pool of that name, if it has workers of the same file, and the same options. Otherwise that closes, when its calls have finished. */
export function namedWebPool<T>(
  createWorker: () => WebWorker,
  options: object,
  create: () => Executor<T>,
): Executor<T> {
  const { name } = options as { readonly name?: unknown }
  if (typeof name !== 'string' || !isDevelopment()) return create()
  const file = fileOfWorker(createWorker)?.replace(/[?&]t=\d+/, '') // Vite adds the time of a change
  const before = named.pools.get(name)
  const own = options as Readonly<Record<string, unknown>>
  if (before && file !== undefined && before.file === file && areSame(before.options, own))
    return hold<T>(name, before)
  if (before) {
    forget(name, before)
    before.executor.close().catch(() => {}) // whoever waits for its calls is told by them
  }
  const pool = { executor: create() as Executor<object>, file, options: { ...own }, holders: 0 }
  named.pools.set(name, pool)
  return hold<T>(name, pool)
}

/** Functions are the same if they are one: those of a module that is loaded again are not. */
function areSame(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys({ ...one, ...other })
  return names.every((name) => {
    const [a, b] = [one[name], other[name]]
    if (Object.is(a, b)) return true
    return (
      typeof a === 'object' && typeof b === 'object' && JSON.stringify(a, keepFunctions) === JSON.stringify(b)
    )
  })
}

/** Those in one of the two make them differ. */
function keepFunctions(_: string, value: unknown): unknown {
  return typeof value === 'function' ? 'a function' : value
}

/** The last holder that closes it ends it. */
function hold<T>(name: string, pool: NamedPool): Executor<T> {
  const { executor } = pool
  pool.holders++
  let isHeld = true
  const isLast = () => {
    if (isHeld) pool.holders--
    isHeld = false
    if (pool.holders === 0) forget(name, pool)
    return pool.holders === 0
  }
  const ends: Partial<Executor<object>> = {
    close: async (options) => (isLast() ? executor.close(options) : undefined),
    destroy: async (reason) => (isLast() ? executor.destroy(reason) : undefined),
    [Symbol.asyncDispose]: () => ends.close!(),
  }
  const own = { ...Object.getOwnPropertyDescriptors(executor), ...Object.getOwnPropertyDescriptors(ends) }
  return Object.defineProperties({}, own) as Executor<T>
}

function forget(name: string, pool: NamedPool): void {
  if (named.pools.get(name) === pool) named.pools.delete(name)
}
