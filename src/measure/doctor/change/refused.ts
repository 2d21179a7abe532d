// Why there is no change: what stands in the way, by name and place.

export interface ChangePlace {
  /** Relative to the folder of the patch. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

/** What to do where the file of a function is made from another one, and nothing says from which. */
export const BUILT =
  'build with source maps (tsc: "sourceMap": true), so that the patch is of what you have written'

export class Refused extends Error {
  constructor(
    reason: string,
    readonly place: ChangePlace,
  ) {
    super(reason)
  }
}
