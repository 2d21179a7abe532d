// Runs a function once for each of several inputs that came as one call: what map() makes of many short calls.

import { apartFromEachOther } from '../task/define-context.js'
import { isPromise, type TaskFunction } from '../task/task-function.js'
import { machineNow } from '../wire/machine-clock.js'
import { apart } from '../wire/codec/apart.js'
import type { EachResult } from '../wire/messages.js'

/** Throws what the function throws; the inputs after that one are not looked at. */
export function runEach(given: TaskFunction, inputs: readonly unknown[]): EachResult | Promise<EachResult> {
  const task = apartFromEachOther(given)
  const started = machineNow()
  const results: unknown[] = []
  for (const input of inputs) {
    const value = task(input) as unknown
    if (isPromise(value)) return runOneByOne(task, inputs, { results, first: value })
    results.push(value)
  }
  return { results: apart(results), us: (machineNow() - started) * 1000, isAsync: false }
}

async function runOneByOne(
  task: TaskFunction,
  inputs: readonly unknown[],
  { results, first }: { results: unknown[]; first: PromiseLike<unknown> },
): Promise<EachResult> {
  results.push(await first)
  while (results.length < inputs.length) results.push((await task(inputs[results.length])) as unknown)
  return { results: apart(results), us: 0, isAsync: true }
}
