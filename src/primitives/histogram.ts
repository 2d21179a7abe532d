// Counts latencies in buckets that grow with the value: small, mergeable, and never off by more than 1 %.

import { assert } from '../errors/errors.js'

/** A value is reported within this share of what it was. */
const RELATIVE_ERROR = 0.01

/** Bucket i holds (GROWTH^(i - 1), GROWTH^i]; the formulas are DDSketch's (Masson, Rim and Lee, VLDB 12, 2019, section 2). */
const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR)
const LOG_GROWTH = Math.log(GROWTH)

/** In microseconds: 1 ns, below which no clock of Node's sees anything, and about 28 hours. What lies outside counts as the nearest. */
const SMALLEST = 1e-3
const LARGEST = 1e11
const FIRST_BUCKET = bucketOf(SMALLEST)
const BUCKETS = bucketOf(LARGEST) - FIRST_BUCKET + 1

/** A percentile needs this many values beyond it, or a single outlier decides it (a rule of thumb). */
const VALUES_BEYOND = 10

export interface HistogramJson {
  /** [bucket, count] for the buckets in use, ascending. */
  buckets: [number, number][]
  minUs: number | null
  maxUs: number | null
}

/**
 * A histogram of times in microseconds (whole or not). Recording costs one logarithm and no memory; merging loses nothing.
 *
 * @example
 * const histogram = new Histogram()
 * histogram.record(1250)
 * histogram.percentile(0.99) // null: one value says nothing about the 99th percentile
 */
export class Histogram {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #minUs = Infinity
  #maxUs = -Infinity

  static fromJSON(json: HistogramJson): Histogram {
    const histogram = new Histogram()
    for (const [bucket, count] of json.buckets) histogram.#add(bucket, count)
    histogram.#minUs = json.minUs ?? Infinity
    histogram.#maxUs = json.maxUs ?? -Infinity
    return histogram
  }

  get count(): number {
    return this.#count
  }

  /** The smallest and largest value, exact; null for an empty histogram. */
  get minUs(): number | null {
    return this.#count === 0 ? null : this.#minUs
  }

  get maxUs(): number | null {
    return this.#count === 0 ? null : this.#maxUs
  }

  /** Counts a value, `count` times. */
  record(valueUs: number, count = 1): void {
    assert(valueUs >= 0, `a latency of ${valueUs} us`)
    this.#add(bucketOf(Math.min(LARGEST, Math.max(SMALLEST, valueUs))), count)
    if (valueUs < this.#minUs) this.#minUs = valueUs
    if (valueUs > this.#maxUs) this.#maxUs = valueUs
  }

  /** Adds what another histogram counted. */
  merge(other: Histogram): void {
    for (const [index, count] of other.#counts.entries())
      if (count > 0) this.#add(FIRST_BUCKET + index, count)
    this.#minUs = Math.min(this.#minUs, other.#minUs)
    this.#maxUs = Math.max(this.#maxUs, other.#maxUs)
  }

  /**
   * The value in microseconds below which the share `p` (0 < p < 1) of the values lies; null when there are fewer than
   * 10 / (1 - p) of them: 20 for the median, 1000 for p = 0.99.
   */
  percentile(p: number): number | null {
    assert(p > 0 && p < 1, `percentile ${p}`)
    // The tolerance: 1000 * (1 - 0.99) is 10.000000000000009 for one p and just under 10 for another.
    if (this.#count * (1 - p) < VALUES_BEYOND - 1e-6) return null
    let remaining = Math.ceil(this.#count * p - 1e-6)
    const index = this.#counts.findIndex((count) => (remaining -= count) <= 0)
    const middle = (2 * GROWTH ** (FIRST_BUCKET + index)) / (GROWTH + 1)
    return Math.min(this.#maxUs, Math.max(this.#minUs, middle))
  }

  toJSON(): HistogramJson {
    const buckets: [number, number][] = []
    for (const [index, count] of this.#counts.entries())
      if (count > 0) buckets.push([FIRST_BUCKET + index, count])
    return { buckets, minUs: this.minUs, maxUs: this.maxUs }
  }

  #add(bucket: number, count: number): void {
    const index = bucket - FIRST_BUCKET
    assert(index >= 0 && index < BUCKETS && count > 0, `histogram bucket ${bucket} with ${count} values`)
    this.#counts[index] = (this.#counts[index] as number) + count
    this.#count += count
  }
}

function bucketOf(valueUs: number): number {
  return Math.ceil(Math.log(valueUs) / LOG_GROWTH)
}
