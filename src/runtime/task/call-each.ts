// Calls a function once for each of several inputs that came as one call: what map() and threadwise/parallel make of many short calls.
//
//   values:     one after the other
//   promises:   side by side from the first one on, at most SIDE_BY_SIDE at a time
//               of a pool that limits its calls: it ends with the first one, and the caller sends the rest one by one, each of which is a call
//               that the limit counts
//               where the caller wants them in turn: one after the other
//
// Nothing starts after the first error, or when nobody waits for the results any more.

import { stopping } from './stop.js'
import { isPromise, type TaskFunction } from './task-function.js'

/** Promises of one call that are open at a time: more calls like it may be open in the same worker. */
export const SIDE_BY_SIDE = 128

export interface EachResults {
  /** Of the first inputs; of all, unless it has ended with a promise. */
  readonly results: readonly unknown[]
  readonly isAsync: boolean
}

export interface EachOptions {
  /** What becomes of a value. */
  readonly keep: (value: unknown) => unknown
  /** Each input waits for the promise of the one before. Default false. */
  readonly isInTurn?: boolean
  /** How many inputs have a result, for who wants to know after an error. */
  readonly progress?: { done: number } | undefined
}

/** Throws, or rejects with, what the function throws. */
export function callEach(
  task: TaskFunction,
  inputs: ArrayLike<unknown>,
  options: EachOptions,
): EachResults | Promise<EachResults> {
  const { keep, isInTurn = false, progress = { done: 0 } } = options
  const stop = stopping.current?.()
  const check = () => {
    stop?.look?.()
    if (stop?.isStopped) throw new DOMException('Nobody waits for this any more.', 'AbortError')
  }
  const results = new Array<unknown>(inputs.length)
  for (let i = 0; i < inputs.length; i++) {
    if (stop) check()
    const value = task(inputs[i]) as unknown
    if (isPromise(value)) {
      const most = isInTurn ? 1 : (stop?.sideBySide ?? SIDE_BY_SIDE)
      const end = most > 1 || isInTurn ? inputs.length : i + 1
      return sideBySide(task, inputs, { keep, progress, check, results, first: value, at: i, end, most })
    }
    results[i] = keep(value)
    progress.done++
  }
  return { results, isAsync: false }
}

interface Rest extends Required<Omit<EachOptions, 'isInTurn'>> {
  readonly results: unknown[]
  /** What the function gave for the input there. */
  readonly first: PromiseLike<unknown>
  readonly at: number
  /** Of the inputs that are looked at. */
  readonly end: number
  /** Promises that are open at a time. */
  readonly most: number
  /** Throws when nothing more is to start. */
  readonly check: () => void
}

async function sideBySide(task: TaskFunction, inputs: ArrayLike<unknown>, rest: Rest): Promise<EachResults> {
  const { results, first, at, end, most, keep, check, progress = { done: 0 } } = rest
  let next = at
  let hasFailed = false
  const take = async (given?: PromiseLike<unknown>) => {
    try {
      for (let value: unknown = given; next < end && !hasFailed; value = undefined) {
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
  await Promise.all(
    Array.from({ length: Math.min(most, end - at) }, (_, i) => take(i === 0 ? first : undefined)),
  )
  results.length = end
  return { results, isAsync: true }
}
