// Loads a task module and finds its functions by name.

import { ThreadwiseError } from '../../errors/errors.js'
import { builtIn } from './built-in.js'
import { needsTsx, registerTsx, requireTypeScript } from './load-typescript.js'
import { RESERVED, type TaskFunction } from './task-function.js'
import { HOOKS, type Hook, type Hooks } from './worker-hooks.js'

export type FindTask = (name: string) => TaskFunction

export interface TaskModule {
  readonly find: FindTask
  readonly hooks: Hooks
}

/**
 * Imports the module at `url` and returns the look-up of its functions, and its hooks.
 *
 * Named exports come first; an object as default export is searched next, because import() shows the exports of a
 * CommonJS module there when they cannot be found by reading its source.
 */
export async function loadTasks(url: string): Promise<TaskModule> {
  return tasksOf(await importModule(url), url)
}

/** Imports it, TypeScript too where the program has a loader for that. */
export async function importModule(url: string): Promise<Record<string, unknown>> {
  await prepareTypeScript(url)
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

/** In a single executable of Node 26 import() knows the modules of Node only. Its other way prints that it is experimental. */
async function importUrl(url: string): Promise<unknown> {
  try {
    return await import(/* webpackIgnore: true */ /* @vite-ignore */ url)
  } catch (error) {
    const { code } = Object(error) as { code?: unknown }
    if (code !== 'ERR_UNKNOWN_BUILTIN_MODULE' || !url.startsWith('file:')) throw error
    const { runInThisContext, constants } = process.getBuiltinModule('node:vm')
    const options = { importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
    const load = runInThisContext('(url) => import(url)', options) as (url: string) => Promise<unknown>
    return load(url)
  }
}

/** The same for a module that is loaded; `name`: what messages call it. */
export function tasksOf(module: Record<string, unknown>, name: string): TaskModule {
  const functions = collectFunctions(module)
  const hooks = takeHooks(functions)
  const find: FindTask = (task) => {
    const found = functions.get(task) ?? (task.startsWith(RESERVED) ? builtIn(task, find) : undefined)
    if (found) return found
    throw new ThreadwiseError('TW_ERR_TASK_NOT_FOUND', {
      module: name,
      task,
      available: [...functions.keys()],
    })
  }
  return { find, hooks }
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
