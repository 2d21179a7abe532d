// Calls a function once for each of several inputs that came as one call: what map() and threadwise/parallel make of many short calls.
//
//   values:     one after the other
//   promises:   side by side from the first one on, at most SIDE_BY_SIDE at a time
//
// Nothing starts after the first error, or when nobody waits for the results any more.

import { stopping } from './stop.js'
import { isPromise, type TaskFunction } from './task-function.js'

/** Promises of one call that are open at a time: more calls like it may be open in the same worker. */
export const SIDE_BY_SIDE = 128

export interface EachResults {
  readonly results: readonly unknown[]
  readonly isAsync: boolean
}

export interface EachOptions {
  /** What becomes of a value. */
  readonly keep: (value: unknown) => unknown
  /** Promises that are open at a time. */
  readonly atOnce: number
  /** How many inputs have a result, for who wants to know after an error. */
  readonly progress?: { done: number } | undefined
}

/** Throws, or rejects with, what the function throws. */
export function callEach(
  task: TaskFunction,
  inputs: ArrayLike<unknown>,
  options: EachOptions,
): EachResults | Promise<EachResults> {
  const { keep, progress = { done: 0 } } = options
  const stop = stopping.current?.()
  const check = () => {
    stop?.look?.()
    if (stop?.isStopped) throw new DOMException('Nobody waits for this any more.', 'AbortError')
  }
  const results = new Array<unknown>(inputs.length)
  for (let i = 0; i < inputs.length; i++) {
    if (stop) check()
    const value = task(inputs[i]) as unknown
    if (isPromise(value)) return sideBySide(task, inputs, { ...options, progress, check, results, first: value, at: i }) // prettier-ignore
    results[i] = keep(value)
    progress.done++
  }
  return { results, isAsync: false }
}

interface Rest extends Required<EachOptions> {
  readonly results: unknown[]
  /** What the function gave for the input there. */
  readonly first: PromiseLike<unknown>
  readonly at: number
  /** Throws when nothing more is to start. */
  readonly check: () => void
}

async function sideBySide(task: TaskFunction, inputs: ArrayLike<unknown>, rest: Rest): Promise<EachResults> {
  const { results, first, at, keep, check, progress = { done: 0 } } = rest
  let next = at
  let hasFailed = false
  const take = async (given?: PromiseLike<unknown>) => {
    try {
      for (let value: unknown = given; next < inputs.length && !hasFailed; value = undefined) {
        const i = next++
        if (value === undefined) check()
        results[i] = keep(await (value ?? task(inputs[i])))
        progress.done++
      }
    } catch (thrown) {
      hasFailed = true
      throw thrown
    }
  }
  const takers = Math.min(rest.atOnce, inputs.length - at)
  await Promise.all(Array.from({ length: takers }, (_, i) => take(i === 0 ? first : undefined)))
  return { results, isAsync: true }
}
