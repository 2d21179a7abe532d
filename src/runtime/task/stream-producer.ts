// Draws items from what a task has returned, as far as the credit of its caller goes: the producing side of a stream.
//
//   credit --> next() next() next() ... --> items, many in one message --> caller
//     ^                                                                      |
//     '------------------------- as items are taken <------------------------'
//
// It stops drawing when the credit is used up, and after SLICE_MS, so that messages (credit, stop) are read and other
// calls run between the items.

import { checkNext, type Next } from './check-next.js'
import { isPromise } from './task-function.js'
import { ThreadwiseError } from '../../errors/errors.js'

/** Where the items go. */
export interface ItemSink {
  /** A synchronous iterator is about to run: until the next pause the thread may be blocked by it. */
  runs(): void
  /**
   * Throws, after the items before it were sent, when one cannot be sent. `isPausing`: a synchronous iterator has returned;
   * then there may be no items.
   */
  send(items: unknown[], isPausing: boolean): void
  /** The value as it is now, for the iterator may change its object later. Throws when it cannot be sent. */
  keep(value: unknown): unknown
  /** Each item leaves at once: `keep` gives the value itself. */
  readonly isImmediate?: boolean
  /** It draws nothing until it has credit; or its code awaits nothing until its end. */
  rests?(until: 'credit' | 'end'): void
  /** Runs the callback in the next turn of the event loop. */
  defer(callback: () => void): void
}

export interface ProducerOptions {
  readonly task: string
  readonly credit: number
  readonly sink: ItemSink
  /** Runs code of the task with the task's context. */
  readonly enter: <R>(code: () => R) => R
}

/** Milliseconds after which the event loop has its turn. */
const SLICE_MS = 2

/** Milliseconds: items that come faster wait for each other. A message costs 0.01 ms, so waiting longer gains nothing. */
const QUICK_MS = 0.05

export class StreamProducer {
  readonly #options: ProducerOptions
  readonly #ended: Promise<void>
  #settle!: { resolve: () => void; reject: (reason: unknown) => void }
  #credit: number
  #source: ItemSource | undefined
  #items: unknown[] = []
  /** Milliseconds that an item is expected to take. One that was slow makes the next ones leave at once for a while. */
  #pace = 4 * QUICK_MS // the first one leaves at once
  #isInCall = false
  /** The iterator is asked, or is about to be. */
  #isDrawing = false
  /** Code of a synchronous iterator is running: it can only be ended once it has returned. */
  #isInside = false
  #isStopped = false
  #isEnded = false
  #isTurnPlanned = false
  #turnStarted = 0
  /** It goes on in the next turn. */
  #isHeld = false

  constructor(options: ProducerOptions) {
    this.#options = options
    this.#credit = options.credit
    this.#ended = new Promise((resolve, reject) => (this.#settle = { resolve, reject }))
  }

  /** `call` calls the task. Settles when its items have ended; throws what the task throws at once. */
  run(call: () => unknown): Promise<void> {
    this.#isInCall = true
    const value = this.#options.enter(call)
    if (isPromise(value)) {
      Promise.resolve(value).then(
        (items) => this.#open(items),
        (thrown: unknown) => this.#fail(thrown),
      )
    } else this.#open(value)
    this.#isInCall = false
    return this.#ended
  }

  /** The caller can take so many more. */
  grant(count: number): void {
    this.#credit += count
    if (!this.#isHeld) this.#draw()
  }

  /** The caller wants no more: ends the iterator, so that its `finally` runs. */
  stop(): void {
    if (this.#isStopped || this.#isEnded) return
    this.#isStopped = true
    this.#items = []
    if (this.#source && !this.#isInside) this.#close()
  }

  #open(value: unknown): void {
    try {
      this.#source = this.#options.enter(() => itemsOf(value, this.#options.task))
    } catch (thrown) {
      return this.#fail(thrown)
    }
    if (this.#isStopped) return this.#close()
    if (!this.#source.isAsync) this.#options.sink.rests?.('end')
    else if (this.#credit === 0) this.#options.sink.rests?.('credit')
    this.#draw()
  }

  #draw(): void {
    if (this.#isDrawing || this.#isStopped || this.#isEnded || !this.#source || this.#credit === 0) return
    this.#isDrawing = true
    if (!this.#source.isAsync && !this.#isInCall) this.#options.sink.runs()
    this.#produceNext()
  }

  readonly #produceNext = (): void => {
    if (this.#isStopped) return // #close has been called
    try {
      this.#isInside = !this.#source!.isAsync
      const isAsked = this.#options.enter(this.#ask)
      this.#isInside = false
      if (this.#isStopped) this.#close()
      else if (!this.#isEnded && !isAsked) this.#pause()
    } catch (thrown) {
      this.#isInside = false
      this.#fail(thrown)
    }
  }

  /** True: an item was asked for and comes later. */
  readonly #ask = (): boolean => {
    const { iterator, isAsync } = this.#source!
    while (this.#credit > 0 && !this.#isHeld && !this.#isStopped) {
      const asked = performance.now()
      const next = iterator.next()
      if (isAsync) return this.#await(next as PromiseLike<Next>, asked)
      const { done, value } = checkNext(next as Next)
      if (done) return this.#finish()
      if (isPromise(value)) return this.#awaitValue(value, asked)
      this.#take(value, asked)
    }
    return false
  }

  #await(next: PromiseLike<Next>, asked: number): true {
    Promise.resolve(next).then(
      (result) => {
        try {
          const { done, value } = checkNext(result)
          if (this.#isStopped) return
          if (done) return void this.#finish()
          this.#take(value, asked)
        } catch (thrown) {
          return this.#fail(thrown)
        }
        this.#produceNext()
      },
      (thrown: unknown) => this.#fail(thrown),
    )
    return true
  }

  /** A synchronous iterator of promises is read as `for await` reads it. */
  #awaitValue(value: PromiseLike<unknown>, asked: number): true {
    this.#send(true)
    Promise.resolve(value).then(
      (item) => {
        if (this.#isStopped) return
        this.#isDrawing = false
        try {
          this.#take(item, asked)
          this.#send()
        } catch (thrown) {
          return this.#giveUp(thrown)
        }
        if (!this.#isHeld) this.#draw()
      },
      (thrown: unknown) => this.#giveUp(thrown),
    )
    return true
  }

  #take(value: unknown, asked: number): void {
    this.#credit--
    const now = performance.now()
    this.#pace = Math.max(now - asked, this.#pace / 2)
    this.#planTurn(asked)
    this.#isHeld = now - this.#turnStarted > SLICE_MS
    const isLast = this.#credit === 0 || this.#isHeld // it leaves in #pause
    const isAlone = this.#options.sink.isImmediate === true || this.#pace > QUICK_MS
    if (isAlone) this.#send() // those before it
    this.#items.push(this.#keep(value))
    if (isAlone && !isLast) this.#send()
  }

  /** Those before one that cannot be sent leave first. */
  #keep(value: unknown): unknown {
    try {
      return this.#options.sink.keep(value)
    } catch (error) {
      this.#send()
      throw new SinkError(error)
    }
  }

  #pause(): void {
    this.#isDrawing = false
    const { isAsync } = this.#source!
    this.#send(!isAsync)
    if (isAsync && this.#credit === 0) this.#options.sink.rests?.('credit')
  }

  #planTurn(started: number): void {
    if (this.#isTurnPlanned) return
    this.#isTurnPlanned = true
    this.#turnStarted = started
    this.#options.sink.defer(this.#onTurn)
  }

  readonly #onTurn = (): void => {
    this.#isTurnPlanned = false
    const wasHeld = this.#isHeld
    this.#isHeld = false
    if (this.#isStopped || this.#isEnded) return
    try {
      this.#send()
    } catch (thrown) {
      return this.#fail(thrown)
    }
    if (wasHeld) this.#draw()
  }

  #send(isPausing = false): void {
    if (this.#items.length === 0 && !isPausing) return
    const items = this.#items
    this.#items = []
    try {
      this.#options.sink.send(items, isPausing)
    } catch (error) {
      throw new SinkError(error)
    }
  }

  /** Its last item was drawn. */
  #finish(): false {
    this.#send()
    this.#isEnded = true
    this.#settle.resolve()
    return false
  }

  #fail(thrown: unknown): void {
    if (thrown instanceof SinkError) return this.#giveUp(thrown)
    if (this.#isStopped && !this.#source) return this.#settle.resolve() // nobody waits for what it came to
    if (this.#isStopped || this.#isEnded) return
    try {
      this.#send() // what came before is not lost
    } catch (error) {
      return this.#reject((error as SinkError).reason)
    }
    this.#reject(thrown)
  }

  /** An item is wrong, not the iterator: it is ended, too. */
  #giveUp(thrown: unknown): void {
    if (this.#isStopped || this.#isEnded) return
    this.#isStopped = true
    this.#close({ reason: thrown instanceof SinkError ? thrown.reason : thrown })
  }

  #reject(reason: unknown): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#settle.reject(reason)
  }

  #close(failure?: { readonly reason: unknown }): void {
    const { iterator, isAsync } = this.#source!
    const end = () => {
      this.#isEnded = true
      if (failure) this.#settle.reject(failure.reason)
      else this.#settle.resolve()
    }
    const fail = (thrown: unknown) => (failure ? end() : this.#reject(thrown))
    try {
      if (!isAsync) this.#options.sink.runs()
      const returned = this.#options.enter(() => iterator.return?.())
      if (isAsync) Promise.resolve(returned).then(end, fail)
      else end()
    } catch (thrown) {
      fail(thrown)
    }
  }
}

/** Marks that sending has failed, and not the task. */
class SinkError {
  readonly reason: unknown

  constructor(reason: unknown) {
    this.reason = reason
  }
}

// Where the items of a stream come from: what a task has returned, as an iterator.

export interface ItemSource {
  readonly iterator: Iterator<unknown> | AsyncIterator<unknown>
  readonly isAsync: boolean
}

/** @throws TW_ERR_NOT_ITERABLE */
export function itemsOf(value: unknown, task: string): ItemSource {
  if (typeof value === 'object' && value !== null) {
    const { [Symbol.asyncIterator]: openAsync, [Symbol.iterator]: open } = value as Partial<
      AsyncIterable<unknown> & Iterable<unknown>
    >
    if (typeof openAsync === 'function') return { iterator: openAsync.call(value), isAsync: true }
    if (typeof open === 'function') return { iterator: open.call(value), isAsync: false }
  }
  throw new ThreadwiseError('TW_ERR_NOT_ITERABLE', { task, received: value })
}
