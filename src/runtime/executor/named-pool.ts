// Finds a pool again by its name, where one module is loaded several times in one process. While a program is developed frameworks load it anew
// after each change: the pool before would stay, with all of its workers, and nobody could close it. Next loads it for pages and for routes.

import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { sharedState } from '../../primitives/shared-state.js'
import type { Executor } from './executor.js'
import type { ExecutorKind } from './stats.js'
import { resolveModules } from './task-module.js'
import type { NamedModules } from '../task/named-modules.js'

interface NamedPool {
  readonly executor: Executor<object>
  /** What it was made of. Two pools of one name with other settings are made anew. */
  readonly settings: { readonly module: string; readonly options: object }
  /** When the task module was changed: workers run what it held as they started. NaN: it is no file. */
  readonly changedMs: number
  /** How often it was given out and not closed. The module that is loaded anew has no chance to close it. */
  holders: number
}

const named = sharedState('named-pools', 1, () => ({ pools: new Map<string, NamedPool>() }))

/** NODE_ENV is that in the servers of Next, Vite, Nuxt, Astro and SvelteKit that reload modules. */
const isDevelopment = () => process.env.NODE_ENV === 'development'

/** The open pool of that kind and name, or what `create` makes. Where modules are loaded once, two pools may have one name. */
export function namedPool<T>(
  {
    kind,
    module,
    options,
  }: { kind: ExecutorKind; module: URL | string | NamedModules; options: { name?: string } },
  create: () => Executor<T>,
): Executor<T> {
  const { name } = Object(options) as { name?: unknown }
  const isLoadedAgain = isDevelopment() || Boolean(process.env.NEXT_RUNTIME)
  if (!isLoadedAgain || typeof name !== 'string') return create()
  const key = `${kind} ${name}`
  const settings = { module: withoutQuery(resolveModules(module)), options: { ...options } }
  const changedMs = changeOf(settings.module)
  const before = named.pools.get(key)
  const isSame = before !== undefined && isDeepStrictEqual(before.settings, settings)
  if (isSame && Object.is(before.changedMs, changedMs)) return hold<T>(key, before)
  if (before && !isDevelopment()) return create() // both are in use
  if (before) replace(key, before, isSame)
  const executor = create() as Executor<object>
  const pool = { executor, settings, changedMs, holders: 0 }
  named.pools.set(key, pool)
  executor.ready.catch(() => forget(key, pool)) // the next one starts anew
  return hold<T>(key, pool)
}

/** The calls that the old one has accepted still finish. */
function replace(key: string, pool: NamedPool, isSame: boolean): void {
  forget(key, pool)
  pool.executor.close().catch(() => {}) // whoever waits for those calls is told by them
  if (isSame) return
  const [kind, ...words] = key.split(' ')
  const message =
    `The ${kind} "${words.join(' ')}" were made again with another module or other options. ` +
    'They replace those before, which close: after a change of the code that is right. If they are two pools, give each a name of its own.'
  process.emitWarning(message, { type: 'ThreadwiseWarning', code: 'TW_WARN_POOL_REPLACED' })
}

/** The last holder that closes it ends it. So the modules before a reload may close theirs, early or late, or never. */
function hold<T>(key: string, pool: NamedPool): Executor<T> {
  pool.holders++
  let isHeld = true
  const isLast = () => {
    if (isHeld) pool.holders--
    isHeld = false
    if (pool.holders === 0) forget(key, pool)
    return pool.holders === 0
  }
  const { executor } = pool
  const ends: Partial<Executor<object>> = {
    close: async (options) => (isLast() ? executor.close(options) : undefined),
    destroy: async (reason) => (isLast() ? executor.destroy(reason) : undefined),
    [Symbol.asyncDispose]: () => ends.close!(),
  }
  const own = Object.getOwnPropertyDescriptors(executor)
  return Object.defineProperties({}, { ...own, ...Object.getOwnPropertyDescriptors(ends) }) as Executor<T>
}

function forget(key: string, pool: NamedPool): void {
  if (named.pools.get(key) === pool) named.pools.delete(key)
}

/** Vite names a module that it loads again with a time in its query. */
function withoutQuery(url: string): string {
  return url.startsWith('file:') ? url.replace(/[?#].*$/, '') : url
}

function changeOf(url: string): number {
  if (!url.startsWith('file:')) return NaN
  return statSync(fileURLToPath(url), { throwIfNoEntry: false })?.mtimeMs ?? NaN
}
