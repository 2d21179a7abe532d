// Loads a task module and finds its functions by name. Of several modules each when its first task is called.

import { describe, ThreadwiseError } from '../../errors/errors.js'
import { builtIn } from './built-in.js'
import { isForRequire, needsTsx, registerTsx, requireFile, requireTypeScript } from './load-typescript.js'
import { readModules } from './named-modules.js'
import { RESERVED, type TaskFunction } from './task-function.js'
import { HOOKS, type Hook, type Hooks, type WorkerSetup } from './worker-hooks.js'

export type FindTask = (name: string) => TaskFunction

export interface LoadedModule {
  readonly find: FindTask
  readonly hooks: Hooks
}

/**
 * Imports the module at `url` and returns the look-up of its functions, and its hooks.
 *
 * Named exports come first; an object as default export is searched next, because import() shows the exports of a
 * CommonJS module there when they cannot be found by reading its source.
 */
export async function loadTasks(url: string): Promise<LoadedModule> {
  const modules = readModules(url)
  return modules ? tasksOfAll(modules) : tasksOf(await importModule(url), url)
}

/** Imports it, TypeScript too where the program has a loader for that. */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  await prepareTypeScript(url)
  const required = isForRequire(url) ? requireFile(url) : undefined
  if (required) return { ...required }
  try {
    return (await importUrl(url)) as Record<string, unknown>
  } catch (error) {
    return requireTypeScript(url, error) as Record<string, unknown>
  }
}

/** To be called before a file is loaded in any way. */
export async function prepareTypeScript(url: string): Promise<void> {
  if (needsTsx(url)) await registerTsx(url).catch(() => {}) // then import() tells what is missing
}

async function importUrl(url: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ url)
  } catch (error) {
    if (!url.startsWith('file:') || !(isOfExecutable(error) || isOfHook(error))) throw error
    return importAsProgram(url.includes('#') ? `${url}.` : `${url}#program`) // by another URL: up to Node 22 the failure is remembered
  }
}

/** In a single executable of Node 26 import() knows the modules of Node only. */
function isOfExecutable(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === 'ERR_UNKNOWN_BUILTIN_MODULE'
}

/** Thrown by a hook that resolves modules, and not by Node, whose errors have a code: hot-hook does not know a module that nobody imports but our text. */
function isOfHook(error: unknown): boolean {
  const { code, stack } = Object(error) as { code?: unknown; stack?: unknown }
  return code === undefined && /\b(?:nextResolve|Hooks\.resolve)\b/.test(String(stack))
}

/** As Node imports the file of a program: no module imports it. Node would print that this way is experimental. */
function importAsProgram(url: string): Promise<unknown> {
  const { runInThisContext, constants } = process.getBuiltinModule('node:vm')
  const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
  const warn = process.emitWarning.bind(process)
  process.emitWarning = () => {}
  try {
    const load = runInThisContext('(url) => import(url)', options) as (url: string) => Promise<unknown>
    return load(url)
  } finally {
    process.emitWarning = warn
  }
}

/** The same for a module that is loaded; `name`: what messages call it. */
export function tasksOf(module: Record<string, unknown>, name: string): LoadedModule {
  const functions = collectFunctions(module)
  const hooks = takeHooks(functions)
  const find: FindTask = (task) => {
    const found = functions.get(task) ?? (task.startsWith(RESERVED) ? builtIn(task, find) : undefined)
    if (found) return found
    throw notFound([...functions.keys()], { module: name, task })
  }
  return { find, hooks }
}

interface LazyModule {
  readonly url: string
  loading: Promise<LoadedModule> | undefined
  /** Once it is set up. */
  loaded: LoadedModule | undefined
}

/** Their hooks are those of all: each module is set up after it was loaded, before its first call. */
function tasksOfAll(modules: ReadonlyMap<string, string>): LoadedModule {
  const all = new Map([...modules].map(([name, url]) => [name, lazyModule(url)]))
  let worker: WorkerSetup
  const find: FindTask = (task) => {
    const isBuiltIn = task.startsWith(RESERVED)
    const name = isBuiltIn ? task.slice(task.indexOf(':', RESERVED.length) + 1) : task
    const dot = name.indexOf('.')
    const module = all.get(name.slice(0, Math.max(0, dot)))
    if (module && !module.loaded)
      return async (...args: unknown[]) => {
        await loadLazily(module, worker)
        return find(task)(...args) as unknown
      }
    const found = isBuiltIn ? builtIn(task, find) : module?.loaded?.find(name.slice(dot + 1))
    if (found) return found
    throw notFound(
      [...all.keys()].map((key) => `${key}.*`),
      { module: [...modules.values()].join(', '), task },
    )
  }
  const setup: Hook = (given) => void (worker = given)
  const teardown: Hook = async (given) => {
    const ends = await Promise.allSettled([...all.values()].map((module) => tearDown(module, given)))
    const failed = ends.find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
  }
  return { find, hooks: { setup, teardown } }
}

function lazyModule(url: string): LazyModule {
  return { url, loading: undefined, loaded: undefined }
}

/** Also one whose setup() is under way, for a call that nobody waits for any more. */
async function tearDown({ loading }: LazyModule, worker: WorkerSetup): Promise<void> {
  const loaded = await loading?.catch(() => undefined) // its call has told why
  await loaded?.hooks.teardown?.(worker)
}

/** One that has failed is tried again by the next call. @throws TW_ERR_START_FAILED */
async function loadLazily(module: LazyModule, worker: WorkerSetup): Promise<LoadedModule> {
  try {
    module.loading ??= loadTasks(module.url).then(async (loaded) => {
      await loaded.hooks.setup?.(worker)
      return (module.loaded = loaded)
    })
    return await module.loading
  } catch (cause) {
    module.loading = undefined
    throw new ThreadwiseError(
      'TW_ERR_START_FAILED',
      { module: module.url, reason: describe(cause) },
      { cause },
    )
  }
}

function notFound(available: readonly string[], what: { module: string; task: string }): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_TASK_NOT_FOUND', { ...what, available })
}

function takeHooks(functions: Map<string, TaskFunction>): Hooks {
  const [setup, teardown] = HOOKS.map((name) => functions.get(name) as Hook | undefined)
  for (const name of HOOKS) functions.delete(name)
  return { setup, teardown }
}

function collectFunctions(module: Record<string, unknown>): Map<string, TaskFunction> {
  const functions = new Map<string, TaskFunction>()
  const add = (source: object) => {
    for (const [name, value] of Object.entries(source)) {
      if (name.startsWith(RESERVED)) continue
      if (typeof value === 'function' && !functions.has(name)) functions.set(name, value as TaskFunction)
    }
  }
  add(module)
  if (typeof module.default === 'object' && module.default !== null) add(module.default)
  return functions
}
