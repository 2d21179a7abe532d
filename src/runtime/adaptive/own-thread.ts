// The caller's own thread as a place for calls. The module is loaded here only once some function is worth it.

import { preciseNow } from '../../primitives/timers.js'
import type { RunOptions } from '../executor/executor.js'
import { LocalPool, type LocalPoolOptions } from '../local/local-pool.js'
import { clone, inCopiedContexts } from '../local/caller-runs.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { BY_MESSAGE } from '../wire/codec/packet.js'
import { carryThrown, receiveThrown } from '../wire/thrown.js'
import { contexts } from '../task/define-context.js'
import type { FindTask } from '../task/load-task.js'
import { marked } from '../task/move.js'
import { isPromise, type TaskFunction } from '../task/task-function.js'
import type { FunctionModel, FunctionModels } from './function-model.js'

export class OwnThread {
  /** Undefined until the module is wanted here. */
  pool: LocalPool | undefined
  isReady = false
  readonly #options: Omit<LocalPoolOptions, 'limit'>

  constructor(options: Omit<LocalPoolOptions, 'limit'>) {
    this.#options = options
  }

  /** Where the module does not load here, though it does in workers, it stays there. */
  prepare(): void {
    if (this.pool) return
    this.pool = new LocalPool({ ...this.#options, limit: Infinity })
    this.pool.ready.then(
      () => (this.isReady = true),
      () => {},
    )
  }

  /** Only when it is ready. */
  submit(name: string, args: readonly unknown[], options?: RunOptions): Promise<unknown> {
    return this.pool!.submit(name, args, options)
  }
}

// The functions of a module as the caller's own thread runs them here: timed, and with copies, so that arguments, results and
// errors are what they would be from a worker.

/** Microseconds: of functions that run shorter, one call in TIMED_EVERY is timed, as a look at the clock costs 0.1. */
const SHORT_US = 20
const TIMED_EVERY = 4

/** Told of each timed call: microseconds. */
export type OnRan = (model: FunctionModel, runUs: number, copyUs: number) => void

export function copiedTasks(find: FindTask, models: FunctionModels, onRan: OnRan): FindTask {
  const copied = new Map<string, TaskFunction>()
  return (name) => {
    let own = copied.get(name)
    if (!own) copied.set(name, (own = copiedTask(find(name), models.of(name), onRan)))
    return own
  }
}

function copiedTask(task: TaskFunction, model: FunctionModel, onRan: OnRan): TaskFunction {
  const { name } = model
  let untimed = 0
  return (...args: unknown[]): unknown => {
    const isTimed = model.runUs >= SHORT_US || ++untimed % TIMED_EVERY === 0
    const before = isTimed ? preciseNow() : 0
    const isCopied = !args.every(isPlain)
    const own = isCopied ? copyArguments(args, name) : args
    const started = isTimed && isCopied ? preciseNow() : before
    let value: unknown
    let isOpen: boolean
    try {
      value = contexts.count === 0 ? task(...own) : inCopiedContexts(name, () => task(...own) as unknown)
      isOpen = isPromise(value)
    } catch (thrown) {
      if (isTimed) onRan(model, 1000 * (preciseNow() - started), 1000 * (started - before))
      throw copyThrown(thrown)
    }
    if (isTimed) onRan(model, 1000 * (preciseNow() - started), 1000 * (started - before))
    if (isOpen) return later(value as PromiseLike<unknown>, model)
    return isPlain(value) ? value : copyResult(value, name)
  }
}

/** It arrives as it is, and is nobody's but the receiver's. */
function isPlain(value: unknown): boolean {
  const type = typeof value
  return (type !== 'object' || value === null) && type !== 'function' && type !== 'symbol'
}

function later(promise: PromiseLike<unknown>, model: FunctionModel): PromiseLike<unknown> {
  model.givesPromises()
  return Promise.resolve(promise).then(
    (value) => copyResult(value, model.name),
    (thrown: unknown) => {
      throw copyThrown(thrown)
    },
  )
}

function copyArguments(args: unknown[], name: string): unknown[] {
  const flat = args.length === 1 ? copyFlat(args[0]) : undefined
  return flat ? [flat] : clone(args, { what: 'An argument', root: 'args', task: name }, marked())
}

/** What structured clone makes of a plain object of primitives, in a tenth of its time. Undefined: it is none. */
function copyFlat(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return undefined
  const keys = Object.keys(value)
  if (keys.length === 0 || keys[0] === '0') return undefined // it may be an arguments object, which structured clone refuses
  const copy: Record<string, unknown> = {}
  for (const key of keys) {
    const field = (value as Record<string, unknown>)[key]
    if (!isPlain(field) || key === '__proto__') return undefined
    copy[key] = field
  }
  return copy
}

function copyResult(value: unknown, name: string): unknown {
  const flat = copyFlat(value)
  if (flat) return flat
  return clone(value, { what: 'The result', root: 'result', task: name }, marked())
}

function copyThrown(thrown: unknown): unknown {
  return isThreadwiseError(thrown) ? thrown : receiveThrown(carryThrown(thrown, BY_MESSAGE).carried)
}
