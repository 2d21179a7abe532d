// Runs a function once for each of several inputs that came as one call, for the caller's map().

import { callEach } from '../task/call-each.js'
import { apartFromEachOther } from '../task/define-context.js'
import { isPromise, type TaskFunction } from '../task/task-function.js'
import { machineNow } from '../wire/machine-clock.js'
import { apart } from '../wire/codec/apart.js'
import type { EachResult } from '../wire/messages.js'

/**
 * Throws EachFailure with what the function throws; no input after that is looked at.
 *
 * @param readUs microseconds that it took to read the inputs
 */
export function runEach(
  given: TaskFunction,
  inputs: readonly unknown[],
  readUs = 0,
): EachResult | Promise<EachResult> {
  const task = apartFromEachOther(given)
  const started = machineNow()
  const progress = { done: 0 }
  const fail = (thrown: unknown): never => {
    throw new EachFailure(thrown, progress.done)
  }
  try {
    const each = callEach(task, inputs, { keep: (value) => value, progress })
    if (isPromise(each))
      return each.then(({ results }) => answer(results, { us: 0, readUs, isAsync: true }), fail)
    return answer(each.results, { us: (machineNow() - started) * 1000, readUs, isAsync: false })
  } catch (thrown) {
    return fail(thrown)
  }
}

/** What is in an answer to many inputs: it looks like any other object. */
const resultsOf = new WeakMap<object, readonly unknown[]>()

function answer(results: readonly unknown[], facts: Omit<EachResult, 'results'>): EachResult {
  const whole = { results: apart(results), ...facts }
  resultsOf.set(whole, results)
  return whole
}

/** The results of many inputs; none, where the value is the result of one. */
export function resultsIn(value: unknown): readonly unknown[] {
  return resultsOf.get(value as object) ?? []
}

/** What the function has thrown, and for how many inputs it had given a result before. */
export class EachFailure {
  readonly thrown: unknown
  readonly done: number
  readonly #isOurs = true

  constructor(thrown: unknown, done: number) {
    this.thrown = thrown
    this.done = done
  }

  /** Not by instanceof, which asks what was thrown: a proxy may answer anything, or throw. */
  static is(thrown: unknown): thrown is EachFailure {
    return typeof thrown === 'object' && thrown !== null && #isOurs in thrown
  }
}
