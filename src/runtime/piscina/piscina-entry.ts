// The task module of a piscina: calls the function that each call names, in the file that it names. It is text in the package, and runs in
// the worker as a module of its own (piscina-workers.ts).

import { createRequire, syncBuiltinESMExports } from 'node:module'
import { getPriority, setPriority } from 'node:os'
import { pathToFileURL } from 'node:url'
import workerThreads from 'node:worker_threads'
import { importModule, prepareTypeScript } from '../task/load-task.js'
import { unwrapMoved } from './movable.js'
import { NOT_ABORTED, type PiscinaInit } from './piscina-init.js'

type Handler = (task: unknown) => unknown

const exit: (code: number) => never = process.exit.bind(process)
const handlers = new Map<string, Handler>()
let init: PiscinaInit
let words: Int32Array

export async function setup({ workerData }: { readonly workerData: PiscinaInit }): Promise<void> {
  init = workerData
  words = new Int32Array(init.abortWords)
  process.argv.splice(2, Infinity, ...(init.argv ?? []))
  // Where piscina has it, and task files look for it.
  Object.assign(workerThreads, { workerData: init.data })
  syncBuiltinESMExports()
  if (init.niceIncrement !== 0) beNice(init.niceIncrement)
  // A call that needs it will say what is wrong.
  if (init.filename !== null) await find(init.filename, init.name).catch(() => {})
}

/** A call of the pool's own function. */
export function run(task: unknown): unknown {
  return call(init.filename!, init.name, task)
}

/** A call that names its function, or can be aborted: `word` is its place among the abort words. */
export async function runNamed(
  task: unknown,
  filename: string,
  name: string,
  word: number,
): Promise<unknown> {
  const release = word >= 0 ? exitOnAbort(word) : undefined
  try {
    return await call(filename, name, task)
  } finally {
    release?.()
  }
}

/** Without a promise where the function gives none, or the worker could not go on at once. */
function call(filename: string, name: string, task: unknown): unknown {
  const handler = handlers.get(keyOf(filename, name))
  if (!handler) return find(filename, name).then(async (found) => unwrapMoved(await found(task)))
  const result = handler(task)
  return isThenable(result) ? result.then(unwrapMoved) : unwrapMoved(result)
}

async function find(filename: string, name: string): Promise<Handler> {
  await prepareTypeScript(pathToFileURL(filename).href)
  const handler = (await required(filename, name)) ?? (await handlerOf(await imported(filename), name))
  if (!handler) throw new Error(`No handler function exported from ${filename}`)
  handlers.set(keyOf(filename, name), handler)
  return handler
}

/** First, as piscina does: a loader of TypeScript may know CommonJS only. What fails here import() tells. */
async function required(filename: string, name: string): Promise<Handler | undefined> {
  if (/\.m[jt]s$/.test(filename)) return undefined
  try {
    const exported = createRequire(filename)(filename) as object
    return await handlerOf({ ...exported, default: exported }, name)
  } catch {
    return undefined
  }
}

function imported(filename: string): Promise<Record<string, unknown>> {
  return importModule(pathToFileURL(filename).href)
}

/** An ES module, one of CommonJS, or one of the two that a compiler has made of the other; its function may be a promise of one. */
async function handlerOf(module: Record<string, unknown>, name: string): Promise<Handler | undefined> {
  const exported = Object(await module.default) as Record<string, unknown>
  const found = [module[name], exported[name]].map((value) => Promise.resolve(value))
  for (const value of await Promise.all(found)) if (typeof value === 'function') return value as Handler
  return undefined
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as PromiseLike<unknown> | null | undefined)?.then === 'function'
}

function keyOf(filename: string, name: string): string {
  return `${filename}/${name}`
}

/** The task may wait on promises for ever. Where it keeps the thread busy the pool ends the worker. */
function exitOnAbort(word: number): () => void {
  let isOver = false
  if (typeof Atomics.waitAsync !== 'function') return () => {} // not in every runtime
  const { value } = Atomics.waitAsync(words, word, NOT_ABORTED)
  void Promise.resolve(value).then(() => {
    if (!isOver) exit(1)
  })
  return () => (isOver = true)
}

/** On Linux the priority is one of the thread. Elsewhere it would be that of the whole program. */
function beNice(increment: number): void {
  if (process.platform === 'linux') setPriority(Math.min(getPriority() + increment, 19))
}
