// Cuts items into chunks, as long as somebody asks for more.

import { isSharedMemory } from '../../primitives/any-realm.js'
import { checkNext } from '../task/check-next.js'
import type { Numbers } from '../task/sort-kernels.js'

export interface Chunk {
  /** Place of its first item. */
  readonly from: number
  readonly items: ArrayLike<unknown>
}

export interface ChunkSource {
  /** Items that are left; Infinity when that is not known. */
  readonly remaining: number
  /** At most `size` items; undefined at the end. A promise only from asynchronous sources. */
  take(size: number): Chunk | undefined | Promise<Chunk | undefined>
  /** What take() gave and was not called: it comes again before all others. */
  putBack(chunk: Chunk): void
  /** No more is wanted. */
  stop(): void
}

export function chunksOf(items: object): ChunkSource {
  const source = sourceOfNew(items)
  const back: { from: number; readonly items: ArrayLike<unknown>; at: number }[] = []
  return {
    get remaining() {
      return back.reduce((sum, { items, at }) => sum + items.length - at, source.remaining)
    },
    take(size) {
      const first = back[0]
      if (!first) return source.take(size)
      const { items, at } = first
      first.at = Math.min(at + size, items.length)
      if (first.at === items.length) back.shift()
      return { from: first.from + at, items: cut(items, at, first.at) }
    },
    putBack: ({ from, items }) => void back.push({ from, items, at: 0 }),
    stop: () => source.stop(),
  }
}

type NewItems = Omit<ChunkSource, 'putBack'>

function sourceOfNew(items: object): NewItems {
  if (Array.isArray(items) || (ArrayBuffer.isView(items) && 'length' in items))
    return listSource(items as unknown as ArrayLike<unknown>)
  if (Symbol.iterator in items) return iterableSource(items as Iterable<unknown>)
  return asyncSource(items as AsyncIterable<unknown>)
}

type List = ArrayLike<unknown> & { slice(from: number, to: number): ArrayLike<unknown> }

function listSource(list: ArrayLike<unknown>): NewItems {
  let from = 0
  return {
    get remaining() {
      return list.length - from
    },
    take(size) {
      if (from >= list.length) return undefined
      const chunk = { from, items: cut(list, from, Math.min(from + size, list.length)) }
      from += chunk.items.length
      return chunk
    },
    stop() {},
  }
}

/** Shared memory is not copied; of other memory only what is needed, since a view travels with all of its buffer. */
export function cut(list: ArrayLike<unknown>, from: number, to: number): ArrayLike<unknown> {
  if (isSharedMemory((list as Partial<Uint8Array>).buffer))
    return (list as unknown as Uint8Array).subarray(from, to)
  return ArrayBuffer.isView(list)
    ? copyNumbers(list as unknown as Numbers, from, to)
    : (list as List).slice(from, to)
}

function iterableSource(items: Iterable<unknown>): NewItems {
  const iterator = items[Symbol.iterator]()
  let from = 0
  let isDone = false
  return {
    remaining: Infinity,
    take(size) {
      const list: unknown[] = []
      while (!isDone && list.length < size) {
        const { done, value } = checkNext(iterator.next())
        if (done) isDone = true
        else list.push(value)
      }
      if (list.length === 0) return undefined
      from += list.length
      return { from: from - list.length, items: list }
    },
    stop() {
      if (isDone) return
      isDone = true
      try {
        iterator.return?.()
      } catch {
        // What ended the algorithm is the one to report.
      }
    },
  }
}

/** One item at a time: the next one may be a long time off. */
function asyncSource(items: AsyncIterable<unknown>): NewItems {
  const iterator = items[Symbol.asyncIterator]()
  let from = 0
  let isDone = false
  return {
    remaining: Infinity,
    async take() {
      const { done, value } = checkNext(await iterator.next())
      if (done) isDone = true
      return done ? undefined : { from: from++, items: [value] }
    },
    stop() {
      if (isDone) return
      isDone = true
      // A generator that is waiting would answer only when its wait ends; and what ended the algorithm is the one to report.
      void (async () => iterator.return?.())().catch(() => {})
    },
  }
}

// A copy of numbers that shares nothing with them.

interface TypedArrayMethods {
  slice(this: Numbers, from: number, to: number): Numbers
}
const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as TypedArrayMethods

/** Of every kind of typed array. A Buffer has a slice() of its own, which gives a view; this is that of the language. */
export function copyNumbers(array: Numbers, from = 0, to = array.length): Numbers {
  return typedArray.slice.call(array, from, to)
}
