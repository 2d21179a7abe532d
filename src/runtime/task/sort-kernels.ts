// What a parallel sort does with parts of a typed array: sort one, and merge a piece of two sorted runs.
//
// The order is that of TypedArray.prototype.sort without a comparison: -0 before 0, NaN last.

export type Numbers =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array

export interface SortPart {
  readonly source: Numbers
  /** Gets the sorted part, at the same place. It may be the source. */
  readonly target: Numbers
  readonly from: number
  readonly to: number
}

/** The values [a, aEnd) and [b, bEnd) of the source, each sorted, to `at` of the target. */
export interface MergePart {
  readonly source: Numbers
  readonly target: Numbers
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
  readonly at: number
}

/** On a copy: the platform sorts shared memory a fifth slower than memory of its own. */
export function sortPart({ source, target, from, to }: SortPart): void {
  const own = source.slice(from, to).sort()
  target.set(own as never, from) // both are of one type
}

/** For workers without shared memory. */
export function sortCopy(values: Numbers): Numbers {
  return values.sort()
}

export function mergePart({ source, target, ...part }: MergePart): void {
  let { a, b, at } = part
  const { aEnd, bEnd } = part
  while (a < aEnd && b < bEnd) {
    const x = source[a]!
    const y = source[b]!
    if (x < y || !(y < x || isBeforeEqual(y, x))) {
      target[at++] = x
      a++
    } else {
      target[at++] = y
      b++
    }
  }
  if (a < aEnd) target.set(source.subarray(a, aEnd) as never, at)
  if (b < bEnd) target.set(source.subarray(b, bEnd) as never, at)
}

/** Whether y comes before x, of two values of which none is less than the other. */
function isBeforeEqual(y: number | bigint, x: number | bigint): boolean {
  if (x === y) return x === 0 && Object.is(y, -0) && !Object.is(x, -0)
  return Number.isNaN(x) && !Number.isNaN(y)
}

/** How many of the first `count` values of the merge of [from, middle) and [middle, to) come from the first of the two runs. */
export function splitMerge(
  values: Numbers,
  { from, middle, to }: { from: number; middle: number; to: number },
  count: number,
): number {
  let low = Math.max(0, count - (to - middle))
  let high = Math.min(count, middle - from)
  while (low < high) {
    const half = (low + high) >> 1
    const x = values[from + half]!
    const y = values[middle + count - half - 1]!
    // Of equal values those of the first run come first, as in mergePart.
    if (y < x || (!(x < y) && isBeforeEqual(y, x))) high = half
    else low = half + 1
  }
  return low
}
