// Counts times in buckets that grow with the value: cheap to record, mergeable, and never off by more than 1 %.
//
// The first bits of a double are its power of two and, linear within that, its steps: with six of these bits they number the
// buckets of an HdrHistogram (hdrhistogram.org), without a logarithm.

import { assert } from '../errors/errors.js'

/** 64 steps within each power of two: the middle of a bucket is within 1/128 of all that it holds. */
const STEP_BITS = 6
/** Of the upper 32 bits of a double, those below the steps. */
const SHIFT = 20 - STEP_BITS
/** In milliseconds: 1 ns, below which no clock of Node's sees anything, and 24 days. What is longer counts in the last bucket. */
const SMALLEST = 1e-6
const LARGEST = 2 ** 31 - 1
/** How many buckets more it makes at a time. Most times of one kind lie within a few powers of two. */
const GROWTH = 256

const double = new DataView(new ArrayBuffer(8))
/** Bucket 0: what a coarse clock calls nothing. */
const FIRST = upperBits(SMALLEST) - 1
const BUCKETS = upperBits(LARGEST) - FIRST + 1

/** A percentile needs this many values beyond it, or a single outlier decides it (a rule of thumb). */
const VALUES_BEYOND = 10
/** 1000 * 0.999 is 999.0000000000001 for some shares, and must not become rank 1000. */
const TOLERANCE = 1e-6

export interface HistogramJson {
  /** [bucket, count] for the buckets in use, ascending. */
  buckets: [number, number][]
  sumMs: number
  minMs: number | null
  maxMs: number | null
}

/**
 * A histogram of times in milliseconds (whole or not). Smallest and largest time, sum and mean are exact; all else is within 1 %.
 *
 * @example
 * const histogram = new Histogram()
 * histogram.record(1.25)
 * histogram.percentile(0.99) // 1.25
 * histogram.isSettled(0.99) // false: one value says nothing about the 99th percentile
 */
export class Histogram {
  /** Empty until the first value: many histograms never get one. */
  #counts = new Float64Array(0)
  #count = 0
  #sumMs = 0
  #minMs = Infinity
  #maxMs = -Infinity

  static fromJSON({ buckets, sumMs, minMs, maxMs }: HistogramJson): Histogram {
    const histogram = new Histogram()
    for (const [bucket, count] of buckets) histogram.#add(bucket, count)
    histogram.#sumMs = sumMs
    histogram.#minMs = minMs ?? Infinity
    histogram.#maxMs = maxMs ?? -Infinity
    return histogram
  }

  get count(): number {
    return this.#count
  }

  get sumMs(): number {
    return this.#sumMs
  }

  /** Null for an empty histogram, as all of the following. */
  get meanMs(): number | null {
    return this.#count === 0 ? null : this.#sumMs / this.#count
  }

  get minMs(): number | null {
    return this.#count === 0 ? null : this.#minMs
  }

  get maxMs(): number | null {
    return this.#count === 0 ? null : this.#maxMs
  }

  /** Counts a time, `count` times. One below 0 counts as 0: two clocks may differ by a microsecond. */
  record(ms: number, count = 1): void {
    assert(!Number.isNaN(ms), 'a time that is not a number')
    const own = ms > 0 ? ms : 0
    this.#add(bucketOf(own), count)
    this.#sumMs += own * count
    if (own < this.#minMs) this.#minMs = own
    if (own > this.#maxMs) this.#maxMs = own
  }

  /** Adds all that another histogram has recorded. */
  merge(other: Histogram): void {
    for (const [bucket, count] of other.#counts.entries()) if (count > 0) this.#add(bucket, count)
    this.#sumMs += other.#sumMs
    this.#minMs = Math.min(this.#minMs, other.#minMs)
    this.#maxMs = Math.max(this.#maxMs, other.#maxMs)
  }

  /** The time in milliseconds within which the share `p` (0 < p < 1) of all were, by nearest rank. */
  percentile(p: number): number | null {
    assert(p > 0 && p < 1, `percentile ${p}`)
    if (this.#count === 0) return null
    let remaining = Math.ceil(this.#count * p - TOLERANCE)
    const bucket = this.#counts.findIndex((count) => (remaining -= count) <= 0)
    return Math.min(this.#maxMs, Math.max(this.#minMs, middleOf(bucket)))
  }

  /** Whether a percentile rests on enough values, which is 10 / (1 - p): 20 for the median, 1000 for p = 0.99. */
  isSettled(p: number): boolean {
    return this.#count * (1 - p) >= VALUES_BEYOND - TOLERANCE
  }

  /** How many were longer than `ms`, to the bucket. */
  countAbove(ms: number): number {
    return this.#counts.subarray(bucketOf(ms) + 1).reduce((sum, count) => sum + count, 0)
  }

  toJSON(): HistogramJson {
    const used = [...this.#counts.entries()].filter(([, count]) => count > 0)
    return { buckets: used, sumMs: this.#sumMs, minMs: this.minMs, maxMs: this.maxMs }
  }

  #add(bucket: number, count: number): void {
    assert(bucket >= 0 && bucket < BUCKETS && count > 0, `histogram bucket ${bucket} with ${count} values`)
    if (bucket >= this.#counts.length) {
      const counts = new Float64Array(bucket + GROWTH)
      counts.set(this.#counts)
      this.#counts = counts
    }
    this.#counts[bucket]! += count
    this.#count += count
  }
}

function bucketOf(ms: number): number {
  return ms < SMALLEST ? 0 : upperBits(ms < LARGEST ? ms : LARGEST) - FIRST
}

function upperBits(ms: number): number {
  double.setFloat64(0, ms)
  return double.getUint32(0) >>> SHIFT
}

function middleOf(bucket: number): number {
  if (bucket === 0) return 0
  double.setFloat64(0, 0)
  double.setUint32(0, ((bucket + FIRST) << SHIFT) | (1 << (SHIFT - 1)))
  return double.getFloat64(0)
}
