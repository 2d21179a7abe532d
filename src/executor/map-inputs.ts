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
    while (flight.open >= limit && !flight.failure) await flight.change()
    if (flight.failure) break
    const coming = source.next()
    // Awaiting the inputs of a plain iterable would cost a turn for each of them.
    const next = Symbol.iterator in inputs ? (coming as Next) : await flight.unlessItFails(coming)
    if (!next || next.done) break
    flight.start(index, next.value)
  }
  while (flight.open > 0 && !flight.failure) await flight.change()
  if (!flight.failure) return flight.results
  stop(source)
  throw flight.failure.reason
}

/** The calls that are open, and what became of the others. */
class Flight {
  readonly results: unknown[] = []
  open = 0
  failure: { reason: unknown } | undefined
  readonly #call: (input: unknown) => Promise<unknown>
  #onChange: (() => void) | undefined
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
    this.#onChange?.()
  }

  /** Resolves when the next call settles. */
  change(): Promise<void> {
    return new Promise((resolve) => (this.#onChange = resolve))
  }

  /** What comes, or undefined when a call fails before: the source may be silent for ever. */
  unlessItFails(coming: Next | Promise<Next>): Promise<Next | undefined> {
    return new Promise((resolve, reject) => {
      this.#onFailure = () => resolve(undefined)
      Promise.resolve(coming).then(resolve, reject)
    })
  }

  #settled(): void {
    this.open--
    this.#onChange?.()
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
