// Writes numbers, and lists that begin with numbers. No item is read twice: it may be a getter, or a proxy's.
//
//   integers --(a number that is none)--> doubles --(no number)--> each by itself
//       '------------------(no number)-----------------------------^

import type { Output } from './output.js'
import * as tag from './tags.js'

/** From so many numbers on a list of nothing else has a form of its own. */
export const MIN_NUMBERS = 4
/** Room is made for so many at a time: behind a number there may be nothing but holes. */
const SOME_NUMBERS = 65_536
/** Of a list: a tag and how many items it has. */
const HEAD = 5

export function putNumber(out: Output, value: number): void {
  const { bytes, at } = out
  if ((value | 0) !== value || (value === 0 && 1 / value < 0)) {
    bytes[at] = tag.F64
    out.view.setFloat64(at + 1, value, true)
    out.at += 9
  } else if (value >= 0 && value < tag.SMALL_INTEGERS) {
    bytes[at] = value
    out.at++
  } else if (value >= 0 && value <= 0xffff) {
    bytes[at] = tag.U16
    bytes[at + 1] = value
    bytes[at + 2] = value >> 8
    out.at += 3
  } else {
    bytes[at] = tag.I32
    out.view.setInt32(at + 1, value, true)
    out.at += 5
  }
}

export function putListHead(out: Output, length: number): void {
  if (length > 0xff) return out.putCount(tag.ARRAY, length)
  out.bytes[out.at] = tag.ARRAY8
  out.bytes[out.at + 1] = length
  out.at += 2
}

/** The item that has ended a row of numbers. */
let met: unknown
/** The numbers before it take eight bytes each, and not four. */
let areDoubles = false

/** How many of the items are numbers, from the first on, which was read already. All of them: the list is written. */
export function putNumbers(out: Output, list: readonly unknown[], first: number): number {
  const head = out.at
  out.ensure(HEAD)
  out.at += HEAD
  met = first
  let count = putIntegers(out, list)
  const isWide = count < list.length && typeof met === 'number'
  if (isWide) {
    widen(out, head + HEAD, count)
    count = putDoubles(out, list, count)
  }
  areDoubles = isWide // not before: a getter among the items may have written another list
  if (count === list.length) {
    const end = out.at
    out.at = head
    out.putCount(areDoubles ? tag.FLOATS : tag.INTS, count)
    out.at = end
    met = undefined
  }
  return count
}

/** Begins again, as a list of anything, with the numbers that putNumbers() has met. Returns the item behind them. */
export function putNumbersAlone(
  out: Output,
  count: number,
  { head, length }: { head: number; length: number },
): unknown {
  const { view } = out
  const from = head + HEAD
  const numbers = areDoubles ? new Float64Array(count) : new Int32Array(count)
  for (let i = 0; i < count; i++)
    numbers[i] = areDoubles ? view.getFloat64(from + 8 * i, true) : view.getInt32(from + 4 * i, true)
  out.at = head
  putListHead(out, length)
  for (const each of numbers) {
    out.ensure(0)
    putNumber(out, each)
  }
  const item = met
  met = undefined
  return item
}

/** Takes those that lie in `met` and behind it, and leaves the first that is none there. */
function putIntegers(out: Output, list: readonly unknown[]): number {
  const { length } = list
  let item = met
  for (let i = 0; i < length;) {
    const to = length - i < SOME_NUMBERS ? length : i + SOME_NUMBERS
    out.ensure(4 * (to - i))
    const { view } = out
    let { at } = out
    for (; i < to; at += 4) {
      if (typeof item !== 'number' || (item | 0) !== item || (item === 0 && 1 / item < 0)) {
        out.at = at
        met = item
        return i
      }
      view.setInt32(at, item, true)
      if (++i < length) item = list[i]
    }
    out.at = at
  }
  return length
}

function putDoubles(out: Output, list: readonly unknown[], from: number): number {
  const { length } = list
  let item = met
  for (let i = from; i < length;) {
    const to = length - i < SOME_NUMBERS ? length : i + SOME_NUMBERS
    out.ensure(8 * (to - i))
    const { view } = out
    let { at } = out
    for (; i < to; at += 8) {
      if (typeof item !== 'number') {
        out.at = at
        met = item
        return i
      }
      view.setFloat64(at, item, true)
      if (++i < length) item = list[i]
    }
    out.at = at
  }
  return length
}

/** From the last one on: each moves to where the next ones have been. */
function widen(out: Output, from: number, count: number): void {
  out.ensure(4 * count)
  const { view } = out
  for (let i = count - 1; i >= 0; i--) view.setFloat64(from + 8 * i, view.getInt32(from + 4 * i, true), true)
  out.at = from + 8 * count
}
