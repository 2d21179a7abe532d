// How many inputs of a map travel as one call. One call of a few hundred nanoseconds costs several times as much to hand over.

/** The answer to a call with several inputs. */
export interface EachAnswer {
  readonly results: readonly unknown[]
  readonly us: number
  readonly isAsync: boolean
}

/** Microseconds of work in one call: little enough that no worker waits long for another at the end. */
const TARGET_US = 200
const MAX_INPUTS = 256
/** Longer texts travel by themselves. */
const MAX_TEXT = 256

export class Grain {
  /** Inputs in the next call. */
  size = 1
  /** Something was learned: before that only few calls are made. */
  isKnown = false
  /** Each input goes alone: the results are objects, or promises that overlap. */
  isAlone = false

  learn({ results, us, isAsync }: EachAnswer): void {
    this.isKnown = true
    if (isAsync || results.some((value) => typeof value === 'object' && value !== null)) this.isAlone = true
    const fit = Math.floor((TARGET_US * results.length) / Math.max(us, 1))
    // A first call may be slow for many reasons and a lucky one fast: the size follows in steps.
    this.size = this.isAlone ? 1 : Math.max(1, Math.min(fit, 4 * this.size, MAX_INPUTS))
  }

  /** Whether this input may travel with others: then it must not be the same object as another, nor large. */
  takes(input: unknown): boolean {
    if (this.isAlone) return false
    if (typeof input === 'string') return input.length <= MAX_TEXT
    return (
      input === null ||
      (typeof input !== 'object' && typeof input !== 'function' && typeof input !== 'symbol')
    )
  }
}
