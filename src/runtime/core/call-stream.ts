// The caller's side of a stream: an async iterator over the items of one call.
//
//   next() --> item that is here already, or wait <-- items(...) <-- the call
//                                        '--- grant(n), as items are taken -->
//
// The call is made at the first next(): an iterator that nobody reads costs nothing and holds nothing.

import type { TaskStream } from '../executor/executor.js'
import {
  tellProgress,
  STOPPED,
  type CallControl,
  type CallListener,
  type CallOptions,
} from './call-listener.js'
import { extendStack, rejectLater } from '../executor/caller-stack.js'
import type { ExecutorCore } from '../executor/from-core.js'
import { NO_OPTIONS } from '../executor/shared-options.js'
import type { Submit } from '../executor/submit.js'
import { MAX_CREDIT } from '../wire/messages.js'
import { enterLater } from '../task/async-scope.js'
import { soon } from '../../primitives/timers.js'

export interface CallStreamOptions {
  readonly name: string
  /** Items that the task may be ahead of the caller; 0: it makes one when it is asked for one. */
  readonly window: number
  readonly onProgress: ((value: unknown) => void) | undefined
  /** Makes the call. */
  readonly start: (listener: CallListener) => Promise<unknown>
}

type Item = IteratorResult<unknown, undefined>

export function createCallStream(options: CallStreamOptions): TaskStream<unknown> {
  const call = new CallStream(options)
  const stream: TaskStream<unknown> = {
    next: () => call.next(),
    return: () => call.return(),
    [Symbol.asyncIterator]: () => stream,
    [Symbol.asyncDispose]: () => call.return().then(() => {}),
  }
  dropped.register(stream, call)
  return stream
}

/** An iterator that was thrown away before its end would hold its place in a worker until the executor is closed. */
const dropped = new FinalizationRegistry<CallStream>((call) => call.drop())

class CallStream implements CallListener {
  readonly isStream = true
  readonly window: number
  readonly wantsProgress: boolean
  readonly #options: CallStreamOptions
  #state: 'new' | 'open' | 'returning' | 'ended' = 'new'
  #control: CallControl | undefined
  /** Items that were received, from #head on not taken. */
  #items: unknown[] = []
  #head = 0
  /** Calls of next() for which there was no item. */
  readonly #waiting: ((result: Item | Promise<Item>) => void)[] = []
  #taken = 0
  #granted: number
  #failure: { readonly reason: unknown } | undefined
  #returned: Promise<Item> | undefined
  #settleReturn: ((result: Item | Promise<Item>) => void) | undefined
  #isDropped = false

  constructor(options: CallStreamOptions) {
    this.#options = options
    this.window = options.window
    this.#granted = options.window
    this.wantsProgress = options.onProgress !== undefined
  }

  next(): Promise<Item> {
    if (this.#state === 'new') this.#start()
    if (this.#head < this.#items.length) {
      const item = this.#items[this.#head]
      this.#items[this.#head++] = undefined // a chunk may be large
      this.#grant(++this.#taken)
      return Promise.resolve({ done: false, value: item })
    }
    if (this.#state === 'ended') return this.#afterEnd()
    if (this.#state === 'returning') return this.#afterReturn()
    const result = new Promise<Item>((resolve) => this.#waiting.push(resolve))
    this.#grant(this.#taken)
    return result
  }

  return(): Promise<Item> {
    if (this.#state === 'returning') return this.#afterReturn()
    this.#items = []
    this.#head = 0
    this.#failure = undefined
    if (this.#state !== 'open') {
      this.#state = 'ended'
      return Promise.resolve(end())
    }
    this.#state = 'returning'
    this.#returned = new Promise((resolve) => (this.#settleReturn = resolve))
    this.#control?.stop() // without it the call was refused, and its rejection is under way
    return this.#returned
  }

  /** Nobody holds the iterator any more; a next() that waits is answered all the same. */
  drop(): void {
    this.#isDropped = true
    this.#stopIfDropped()
  }

  refuse(reason: unknown): void {
    this.#control?.fail(reason)
  }

  /** A second time when it waited for room in a full pool, where nobody took its credit. */
  connect(control: CallControl): void {
    this.#control = control
    this.#granted = this.window
    soon(() => this.#grant(this.#taken)) // not here: the call has no place yet
  }

  progress(value: unknown): void {
    tellProgress(this.#options.onProgress!, value, this.#control!)
  }

  items(values: unknown[]): void {
    if (this.#state !== 'open') return
    const isFresh = this.#head === this.#items.length
    let from = 0
    if (isFresh) {
      while (from < values.length && this.#waiting.length > 0) {
        this.#taken++
        this.#waiting.shift()!({ done: false, value: values[from++] })
      }
      this.#items = values
      this.#head = from
    } else {
      this.#items = this.#items.slice(this.#head).concat(values)
      this.#head = 0
    }
    if (from > 0) this.#grant(this.#taken)
    this.#stopIfDropped()
  }

  #start(): void {
    this.#state = 'open'
    this.#options.start(this).then(
      () => this.#end(undefined),
      (reason: unknown) => this.#end({ reason }),
    )
  }

  /** Credit goes back by halves of the window, or it would take a message for each item. */
  #grant(taken: number): void {
    if (this.#state !== 'open') return
    const count = taken + (this.window || this.#waiting.length) - this.#granted
    if (count < 1 || count < this.window / 2) return
    this.#granted += count
    this.#control?.grant(count)
  }

  #end(failure: { readonly reason: unknown } | undefined): void {
    const wasReturning = this.#state === 'returning'
    this.#state = 'ended'
    this.#control = undefined
    if (wasReturning) {
      const isEnd = !failure || failure.reason === STOPPED
      this.#settleReturn!(isEnd ? end() : this.#reject(failure.reason))
    } else if (failure) {
      this.#failure = failure
    }
    for (const answer of this.#waiting.splice(0)) answer(this.#afterEnd())
  }

  #afterEnd(): Promise<Item> {
    const failure = this.#failure
    this.#failure = undefined
    return failure ? this.#reject(failure.reason) : Promise.resolve(end())
  }

  #afterReturn(): Promise<Item> {
    return this.#returned!.then(end, end)
  }

  /** With the stack of whoever waits for the promise. */
  #reject(reason: unknown): Promise<never> {
    return rejectLater(() => {
      extendStack(reason, this.#options.name)
      return reason
    })
  }

  #stopIfDropped(): void {
    if (!this.#isDropped || this.#state !== 'open' || this.#waiting.length > 0) return
    this.return().catch(() => {})
  }
}

function end(): Item {
  return { done: true, value: undefined }
}

// executor.stream on top of a pool: each stream is one call, with a listener among its options.

const DEFAULT_WINDOW = 16

/** `window`: of all streams of this executor, whatever their options say. */
export function streamsOf(submit: Submit, window?: number): ExecutorCore['stream'] {
  return (name, args, options) => {
    const { highWaterMark = DEFAULT_WINDOW, onProgress } = options ?? NO_OPTIONS
    const inContexts = enterLater()
    return createCallStream({
      name,
      window: window ?? Math.min(highWaterMark, MAX_CREDIT),
      onProgress,
      start(listener) {
        const own: CallOptions = { ...NO_OPTIONS, ...options, listener }
        return inContexts(() => submit(name, args, own))
      },
    })
  }
}
