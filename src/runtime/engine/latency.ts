// How long calls took: a histogram with buckets that grow with the value, so that each is within 3 % of what it holds.
//
//   microseconds  0 .. 31: one bucket each      32 .. 63: 16 buckets      64 .. 127: 16 buckets      ... up to 2^43 (100 days)

import type { Durations } from '../executor/executor.js'

const STEP_BITS = 4
const STEPS = 1 << STEP_BITS
const OCTAVES = 40

const NOTHING: Durations = Object.freeze({ count: 0, mean: null, p50: null, p99: null, max: null })

export class Latency {
  /** Made for the first value: many executors are never looked at, and a lane of its own would be 5 kB. */
  #counts: Float64Array | undefined
  #count = 0
  #sumMs = 0
  #maxMs = 0

  /** `weight`: calls that this one stands for. */
  add(ms: number, weight: number): void {
    const own = ms > 0 ? ms : 0 // two clocks may differ by a microsecond
    this.#counts ??= new Float64Array((OCTAVES + 1) * STEPS)
    this.#counts[bucketOf(own * 1000)]! += weight
    this.#count += weight
    this.#sumMs += own * weight
    if (own > this.#maxMs) this.#maxMs = own
  }

  get summary(): Durations {
    if (this.#count === 0) return NOTHING
    return {
      count: this.#count,
      mean: this.#sumMs / this.#count,
      p50: this.#quantile(0.5),
      p99: this.#quantile(0.99),
      max: this.#maxMs,
    }
  }

  #quantile(share: number): number {
    let below = 0
    let bucket = 0
    for (; bucket < this.#counts!.length - 1; bucket++) {
      below += this.#counts![bucket]!
      if (below >= share * this.#count) break
    }
    return Math.min(middleUs(bucket) / 1000, this.#maxMs)
  }
}

function bucketOf(us: number): number {
  if (us < 2 * STEPS) return Math.floor(us)
  const octave = exponentOf(us) - STEP_BITS
  const bucket = octave * STEPS + Math.floor(us / 2 ** octave)
  return Math.min(bucket, (OCTAVES + 1) * STEPS - 1)
}

/** Of large values not by clz32, which takes 32 bits. */
function exponentOf(us: number): number {
  return us < 2 ** 31 ? 31 - Math.clz32(us) : Math.floor(Math.log2(us))
}

function middleUs(bucket: number): number {
  if (bucket < 2 * STEPS) return bucket + 0.5
  const octave = Math.floor(bucket / STEPS) - 1
  return (STEPS + (bucket % STEPS) + 0.5) * 2 ** octave
}
