// executor.map on top of executor.run: a bounded number of calls in flight, results in the order of the inputs.

import { onAbort } from './on-abort.js'

type Inputs = Iterable<unknown> | AsyncIterable<unknown>
type Next = IteratorResult<unknown>

/**
 * @param limit calls in flight at a time. It bounds memory, so that an endless async iterable does not pile up.
 * @param signal is the one of the calls
 */
export async function mapInputs(
  inputs: Inputs,
  limit: number,
  call: (input: unknown) => Promise<unknown>,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const flight = new Flight(call)
  // An abort rejects the open calls, but there may be none while the source is silent.
  const stopListening = signal && onAbort(signal, () => flight.fail(signal.reason))
  try {
    return await readAll(inputs, limit, flight)
  } finally {
    stopListening?.()
  }
}

async function readAll(inputs: Inputs, limit: number, flight: Flight): Promise<unknown[]> {
  const source = iteratorOf(inputs)
  for (let index = 0; ; index++) {
    if (flight.open >= limit && !flight.failure) await flight.fallTo(lowWater(limit))
    if (flight.failure) break
    const coming = source.next()
    // Awaiting the inputs of a plain iterable would cost a turn for each of them.
    const next = Symbol.iterator in inputs ? (coming as Next) : await flight.unlessItFails(coming)
    if (!next || next.done) break
    flight.start(index, next.value)
  }
  if (flight.open > 0 && !flight.failure) await flight.fallTo(0)
  if (!flight.failure) return flight.results
  stop(source)
  throw flight.failure.reason
}

/**
 * How far the open calls must fall before more are started. With many open ones a few more or less keep nobody idle, and
 * to wake this loop for each call would cost more than the call.
 */
function lowWater(limit: number): number {
  return limit - (limit >= 1024 ? 128 : 1)
}

/** The calls that are open, and what became of the others. */
class Flight {
  readonly results: unknown[] = []
  open = 0
  failure: { reason: unknown } | undefined
  readonly #call: (input: unknown) => Promise<unknown>
  #target = 0
  #onTarget: (() => void) | undefined
  #onFailure: (() => void) | undefined

  constructor(call: (input: unknown) => Promise<unknown>) {
    this.#call = call
  }

  start(index: number, input: unknown): void {
    this.open++
    this.#call(input).then(
      (value) => {
        this.results[index] = value
        this.#settled()
      },
      (reason: unknown) => {
        this.fail(reason)
        this.#settled()
      },
    )
  }

  fail(reason: unknown): void {
    this.failure ??= { reason }
    this.#onFailure?.()
    this.#onTarget?.()
  }

  /** Resolves when no more than `target` calls are open, or when one has failed. */
  fallTo(target: number): Promise<void> {
    this.#target = target
    return new Promise((resolve) => (this.#onTarget = resolve))
  }

  /** What comes, or undefined when a call fails before: the source may be silent for ever. */
  unlessItFails(coming: Next | Promise<Next>): Promise<Next | undefined> {
    return new Promise((resolve, reject) => {
      this.#onFailure = () => resolve(undefined)
      Promise.resolve(coming).then(resolve, reject)
    })
  }

  #settled(): void {
    if (--this.open <= this.#target) this.#onTarget?.()
  }
}

function iteratorOf(inputs: Inputs): Iterator<unknown> | AsyncIterator<unknown> {
  return Symbol.iterator in inputs ? inputs[Symbol.iterator]() : inputs[Symbol.asyncIterator]()
}

/** Tells the source that no more is wanted; an async generator that is waiting would answer only when its wait ends. */
function stop(source: Iterator<unknown> | AsyncIterator<unknown>): void {
  try {
    Promise.resolve(source.return?.()).catch(() => {})
  } catch {
    // The failure of the map is the one to report.
  }
}
