// Hands chunks of items to an executor, a bounded number at a time, and gives their answers as they come.
//
//   source --> chunk --> call --> answer -->
//               ^   (at most `limit` between here and the reader)
//
// The first error ends it: nothing more is sent, and what is under way is aborted.

import { extendStack } from '../executor/caller-stack.js'
import { onAbort } from '../executor/on-abort.js'
import { nameInput } from '../executor/name-input.js'
import { isPromise } from '../task/task-function.js'
import { cut, type Chunk, type ChunkSource } from './chunk-source.js'

export interface ChunkRun<Answer> {
  /** The name of the function that is called. */
  readonly task: string
  readonly source: ChunkSource
  /** Items in the next chunk. */
  readonly size: () => number
  /** Chunks between the source and the reader. */
  readonly limit: () => number
  /** Rejects when the signal aborts. */
  readonly call: (items: ArrayLike<unknown>, signal: AbortSignal) => Promise<Answer>
  /** How many of a chunk's items the answer is for; the others come again. Default: all. */
  readonly answered?: (answer: Answer) => number
  readonly signal: AbortSignal | undefined
}

export interface ChunkResult<Answer> extends Chunk {
  readonly answer: Answer
}

export async function* runChunks<Answer>(calls: ChunkRun<Answer>): AsyncGenerator<ChunkResult<Answer>> {
  const { signal } = calls
  if (signal?.aborted) throw signal.reason
  const flight = new ChunkFlight(calls)
  const stopListening = signal && onAbort(signal, () => flight.fail(signal.reason))
  const keepListening = onAbort(flight.signal, () => {}) // to add the first listener and to remove the last one costs more than a call; see docs/maintainers/figures.md
  try {
    for (;;) {
      flight.fill()
      if (flight.failure) throw withCaller(flight.failure.reason, calls)
      const result = flight.done.shift()
      if (result) yield result
      else if (flight.isOver) return
      else await flight.change()
    }
  } finally {
    stopListening?.()
    flight.stop()
    keepListening()
  }
}

/** Here whoever awaits the algorithm is known; not where a call fails. */
function withCaller(reason: unknown, { task, signal }: Pick<ChunkRun<unknown>, 'task' | 'signal'>): unknown {
  if (!signal?.aborted) extendStack(reason, task)
  return reason
}

class ChunkFlight<Answer> {
  readonly done: ChunkResult<Answer>[] = []
  failure: { readonly reason: unknown } | undefined
  readonly #calls: ChunkRun<Answer>
  readonly #controller = new AbortController()
  #open = 0
  #isReading = false
  #hasEnded = false
  #wake: (() => void) | undefined

  constructor(calls: ChunkRun<Answer>) {
    this.#calls = calls
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#hasEnded && this.#open === 0
  }

  /** Resolves when an answer or an item has come, or something has failed. */
  change(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }

  fill(): void {
    const { source, size, limit } = this.#calls
    try {
      while (!this.#isReading && !this.#hasEnded && !this.failure && this.#open + this.done.length < limit())
        this.#read(source.take(size()))
    } catch (thrown) {
      this.#hasEnded = true // a source that has thrown is not asked to end
      this.fail(thrown)
    }
  }

  fail(reason: unknown): void {
    this.failure ??= { reason }
    // Not when the reader comes back: with `ordered: false` it may be busy with an earlier result.
    if (this.#open > 0) this.#controller.abort(this.failure.reason)
    this.#wake?.()
  }

  stop(): void {
    if (!this.#hasEnded) this.#calls.source.stop()
    if (this.#open > 0) this.#controller.abort(this.failure?.reason)
  }

  #read(chunk: Chunk | undefined | Promise<Chunk | undefined>): void {
    if (!isPromise(chunk)) return this.#onChunk(chunk)
    this.#isReading = true
    chunk.then(
      (next) => {
        this.#isReading = false
        if (!this.failure) this.#onChunk(next)
        this.#wake?.()
      },
      (thrown: unknown) => {
        this.#hasEnded = true
        this.fail(thrown)
      },
    )
  }

  /** Puts back what was not called. Gives what was. */
  #keepRest(chunk: Chunk, answer: Answer): Chunk {
    const { source, answered } = this.#calls
    const { from, items } = chunk
    const done = answered?.(answer) ?? items.length
    if (done >= items.length || this.failure) return chunk
    source.putBack({ from: from + done, items: cut(items, done, items.length) })
    this.#hasEnded = false
    return { from, items: cut(items, 0, done) }
  }

  #onChunk(chunk: Chunk | undefined): void {
    if (!chunk) {
      this.#hasEnded = true
      return
    }
    this.#open++
    this.#calls.call(chunk.items, this.#controller.signal).then(
      (answer) => {
        this.#open--
        this.done.push({ ...this.#keepRest(chunk, answer), answer })
        this.#wake?.()
      },
      (reason: unknown) => {
        this.#open--
        if (!this.failure) nameInput(reason, chunk.from, true)
        this.fail(reason)
      },
    )
  }
}
