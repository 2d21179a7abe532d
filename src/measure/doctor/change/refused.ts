// Why there is no change: what stands in the way, by name and place.

export interface ChangePlace {
  /** Relative to the folder of the patch. */
  readonly file: string
  /** Counted from 1. */
  readonly line: number
}

export class Refused extends Error {
  constructor(
    reason: string,
    readonly place: ChangePlace,
  ) {
    super(reason)
  }
}
