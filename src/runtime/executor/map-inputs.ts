// executor.map on top of executor.run: a bounded number of calls in flight, results in the order of the inputs.

import { checkNext, type Next } from '../task/check-next.js'
import { learnedSize, type ChunkGoal, type ChunkSize, type ChunkTimes } from './chunk-size.js'
import { asCallsOf, type GiveUp } from './calls-of-a-map.js'
import { onAbort } from './on-abort.js'

export type MapInputs = Iterable<unknown> | AsyncIterable<unknown>

export interface MapCalls {
  /** Inputs in flight at a time. It bounds memory, so that an endless async iterable does not pile up. */
  readonly limit: number
  readonly call: (input: unknown) => Promise<unknown>
  /** Names the input in the error that says why it cannot be sent; `from`: which is the first of those that travelled together. */
  readonly nameInput?: (error: unknown, from: number) => void
  /** One call for several inputs, where the executor can do that. */
  readonly chunks?: ChunkCalls | undefined
  /** The one of the calls. */
  readonly signal?: AbortSignal | undefined
}

export interface ChunkCalls extends ChunkLimits {
  /** The signal ends it. */
  readonly call: (inputs: readonly unknown[], signal: AbortSignal) => Promise<ChunkTimes>
  /** Told of each answer. */
  readonly onAnswer?: (answer: ChunkTimes) => void
}

/** How many inputs travel as one call. */
export interface ChunkLimits extends ChunkGoal {
  /** Objects travel together too: each arrives as one of its own. */
  readonly takesObjects: boolean
  /** Such calls that are open at a time. */
  readonly openCalls: () => number
  /** Calls get smaller towards the end, so that so many workers end together. Default: all are of one size. */
  readonly workers?: () => number
}

/** Inputs in flight until the first answer tells how long a call takes. */
const LIMIT_UNKNOWN = 64

export async function mapInputs(inputs: MapInputs, calls: MapCalls): Promise<unknown[]> {
  const { signal } = calls
  const flight = new Flight(calls)
  // An abort rejects the open calls, but there may be none while the source is silent.
  const stopListening = signal && onAbort(signal, () => flight.fail(signal.reason))
  try {
    return await readAll(inputs, calls, flight)
  } finally {
    stopListening?.()
    flight.keepListening()
  }
}

async function readAll(inputs: MapInputs, { limit, chunks }: MapCalls, flight: Flight): Promise<unknown[]> {
  const source = iteratorOf(inputs)
  const isSync = Symbol.iterator in inputs
  // Inputs of an asynchronous source go as they come: the next one may be a long time off.
  const batch = chunks && isSync ? new Batch(chunks, lengthOf(inputs)) : undefined
  for (;;) {
    const most = batch ? Math.min(limit, batch.most) : limit
    if (flight.open >= most && !flight.failure) {
      flight.sendGathered(batch) // what is not sent is never answered
      await flight.fallTo(lowWater(most))
    }
    if (flight.failure) break
    const coming = source.next()
    // Awaiting the inputs of a plain iterable would cost a turn for each of them.
    const next = isSync ? (coming as Next) : await flight.unlessItFails(coming)
    if (flight.failure) break
    const { done, value } = checkNext(next as Next)
    if (done) break
    if (batch?.takes(value)) flight.gather(value, batch)
    else flight.start(value)
  }
  if (!flight.failure) flight.sendGathered(batch)
  if (flight.open > 0 && !flight.failure) await flight.fallTo(0)
  if (!flight.failure) return flight.results
  stop(source)
  throw flight.failure.reason
}

/** Infinity where only its end will tell. */
function lengthOf(inputs: MapInputs): number {
  return Array.isArray(inputs) || ArrayBuffer.isView(inputs)
    ? (inputs as ArrayLike<unknown>).length
    : Infinity
}

/**
 * How far the open calls must fall before more are started. With many open ones a few more or less keep nobody idle, and
 * to wake this loop for each call would cost more than the call.
 */
function lowWater(limit: number): number {
  return limit - (limit >= 1024 ? 128 : 1)
}

/** Inputs that travel together. */
interface Part {
  readonly from: number
  readonly inputs: number
}

/** The calls that are open, and what became of the others. */
class Flight {
  readonly results: unknown[] = []
  /** Inputs that were taken and have no result. */
  open = 0
  failure: { reason: unknown } | undefined
  readonly #calls: MapCalls
  /** Inputs taken so far. */
  #taken = 0
  /** Inputs that will travel together, and how many they are to be. */
  #gathered: unknown[] = []
  #wanted = 1
  #target = 0
  /** Ends the chunks that are under way, as `#giveUps` do the other calls. */
  readonly #controller = new AbortController()
  readonly #giveUps = new Set<GiveUp>()
  #lastGiveUp: GiveUp | undefined
  readonly #noteCall = (giveUp: GiveUp) => void this.#giveUps.add((this.#lastGiveUp = giveUp))
  /** To add the first listener and to remove the last one costs more than a call; see docs/maintainers/figures.md. */
  readonly keepListening = onAbort(this.#controller.signal, () => {})
  #onTarget: (() => void) | undefined
  #onFailure: (() => void) | undefined

  constructor(calls: MapCalls) {
    this.#calls = calls
  }

  start(input: unknown): void {
    this.sendGathered(undefined)
    this.open++
    this.#call(this.#taken++, input)
  }

  #call(index: number, input: unknown): void {
    this.#lastGiveUp = undefined
    const result = asCallsOf(this.#noteCall, () => this.#calls.call(input))
    const giveUp: GiveUp | undefined = this.#lastGiveUp
    this.#settle(result, { from: index, inputs: 1 }, (value) => {
      this.results[index] = value
      if (giveUp) this.#giveUps.delete(giveUp)
    })
  }

  /** Takes an input that travels with others, as many as its batch says. */
  gather(input: unknown, batch: Batch): void {
    if (this.#gathered.length === 0) this.#wanted = batch.sizeAfter(this.#taken)
    this.#gathered.push(input)
    this.open++
    this.#taken++
    if (this.#gathered.length >= this.#wanted) this.sendGathered(batch)
  }

  sendGathered(batch: Batch | undefined): void {
    const inputs = this.#gathered
    if (inputs.length === 0) return
    this.#gathered = []
    const from = this.#taken - inputs.length
    const result = this.#calls.chunks!.call(inputs, this.#controller.signal)
    this.#settle(result, { from, inputs: inputs.length }, (answer) => {
      batch?.learn(answer)
      const done = Math.min(answer.results.length, inputs.length)
      for (let i = 0; i < done; i++) this.results[from + i] = answer.results[i]
      if (done < inputs.length && !this.failure) this.#callRest(from, inputs, done)
    })
  }

  /** The function has given a promise, and the pool counts each of them: those after it go one by one. */
  #callRest(from: number, inputs: readonly unknown[], done: number): void {
    this.open += inputs.length - done
    for (let i = done; i < inputs.length; i++) this.#call(from + i, inputs[i])
  }

  #settle<T>(result: Promise<T>, { from, inputs }: Part, keep: (value: T) => void): void {
    result
      .then(keep, (reason: unknown) => {
        if (!this.failure) this.#calls.nameInput?.(reason, from)
        this.fail(reason)
      })
      .finally(() => {
        this.open -= inputs
        if (this.open <= this.#target) this.#onTarget?.()
      })
  }

  /** The first failure ends the map, and what is under way. */
  fail(reason: unknown): void {
    if (this.failure) return
    this.failure = { reason }
    this.#controller.abort(reason)
    for (const giveUp of this.#giveUps) giveUp(reason)
    this.#giveUps.clear()
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
      if (this.failure) resolve(undefined) // the source itself has called abort()
      this.#onFailure = () => resolve(undefined)
      Promise.resolve(coming).then(resolve, reject) // in any case: nobody else would hear of an error of the source
    })
  }
}

function iteratorOf(inputs: MapInputs): Iterator<unknown> | AsyncIterator<unknown> {
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

/** Longer texts, and bytes, travel by themselves. */
const MAX_TEXT = 256
const MAX_BYTES = 4096

/** Which inputs travel together, and how many of them. */
class Batch {
  readonly #chunks: ChunkCalls
  readonly #size: ChunkSize
  readonly #length: number
  /** Something was learned: before that only few calls are made. */
  #isKnown = false
  /** Each input goes alone: the results are promises that overlap, or objects where these may not travel together. */
  #isAlone = false

  constructor(chunks: ChunkCalls, length: number) {
    this.#chunks = chunks
    this.#size = learnedSize(chunks)
    this.#length = length
  }

  /** Inputs of the next call, when so many were taken. */
  sizeAfter(taken: number): number {
    const workers = this.#chunks.workers?.()
    return workers === undefined
      ? this.#size.next(Infinity, 1)
      : this.#size.next(this.#length - taken, workers)
  }

  /** Inputs in flight. */
  get most(): number {
    if (this.#isAlone) return Infinity
    return this.#isKnown ? this.#size.next(Infinity, 1) * this.#chunks.openCalls() : LIMIT_UNKNOWN
  }

  learn(answer: ChunkTimes): void {
    this.#isKnown = true
    this.#size.learn(answer)
    this.#chunks.onAnswer?.(answer)
    const { takesObjects } = this.#chunks
    const holdsObjects =
      !takesObjects && answer.results.some((value) => typeof value === 'object' && value !== null)
    if (answer.isAsync || holdsObjects) this.#isAlone = true
  }

  /** Whether this input may travel with others: then it must not be large, nor what nothing can carry. */
  takes(input: unknown): boolean {
    if (this.#isAlone) return false
    if (typeof input === 'string') return input.length <= MAX_TEXT
    if (typeof input === 'object' && input !== null)
      return this.#chunks.takesObjects && !(ArrayBuffer.isView(input) && input.byteLength > MAX_BYTES)
    return typeof input !== 'function' && typeof input !== 'symbol'
  }
}
