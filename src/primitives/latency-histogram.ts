// Counts times in buckets that are linear within each power of two, as HdrHistogram's: no logarithm per value, no memory.
//
// `measure/` has a histogram too, with other buckets: it refuses percentiles that rest on fewer than ten values, and its
// buckets go into files of results. Here every percentile is given, and the report says which rest on few.

/** Steps within each power of two: a value is off by at most half of 1/64 of itself, 0.8 %. */
const STEPS = 64
const STEP_BITS = 6
/** 2^31 us are 35 minutes; what is longer counts in the last bucket. The maximum is exact. */
const POWERS = 31
const LARGEST_US = 2 ** POWERS - 1
const BUCKETS = (POWERS - STEP_BITS + 1) * STEPS

/**
 * Times in milliseconds, counted in whole microseconds with a relative error below 1 %.
 *
 * @example
 * const latencies = new LatencyHistogram()
 * latencies.record(20.4)
 * latencies.percentile(0.5) // about 20.4
 */
export class LatencyHistogram {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #maxMs = 0

  get count(): number {
    return this.#count
  }

  /** Exact; null when nothing was recorded. */
  get maxMs(): number | null {
    return this.#count === 0 ? null : this.#maxMs
  }

  record(ms: number): void {
    const bucket = bucketOf(Math.min(LARGEST_US, Math.max(0, Math.round(ms * 1000))))
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1
    this.#count++
    if (ms > this.#maxMs) this.#maxMs = ms
  }

  /** Adds all that another one has recorded. */
  add(other: LatencyHistogram): void {
    for (const [bucket, count] of other.#counts.entries()) if (count > 0) this.#counts[bucket]! += count
    this.#count += other.#count
    if (other.#maxMs > this.#maxMs) this.#maxMs = other.#maxMs
  }

  /** The time in milliseconds within which the share `p` (0 < p < 1) of all were, by nearest rank; null without any. */
  percentile(p: number): number | null {
    if (this.#count === 0) return null
    // The tolerance: 1000 * 0.999 is 999.0000000000001 for some p, and must not become rank 1000.
    let remaining = Math.ceil(this.#count * p - 1e-6)
    const bucket = this.#counts.findIndex((count) => (remaining -= count) <= 0)
    return Math.min(this.#maxMs, middleOf(bucket) / 1000)
  }

  /** How many were longer than `ms`, to the bucket. */
  countAbove(ms: number): number {
    const bucket = bucketOf(Math.min(LARGEST_US, Math.max(0, Math.round(ms * 1000))))
    return this.#counts.subarray(bucket + 1).reduce((sum, count) => sum + count, 0)
  }
}

/** Below STEPS each microsecond has a bucket; above, each power of two has STEPS of them. */
function bucketOf(us: number): number {
  if (us < STEPS) return us
  const shift = 31 - Math.clz32(us) - STEP_BITS
  return (shift << STEP_BITS) + (us >>> shift)
}

function middleOf(bucket: number): number {
  if (bucket < STEPS) return bucket
  const shift = (bucket >>> STEP_BITS) - 1
  const lowest = (STEPS + (bucket & (STEPS - 1))) * 2 ** shift
  return lowest + (2 ** shift - 1) / 2
}
