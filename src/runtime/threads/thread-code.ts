// The code that runs in the threads, as text in parts. scripts/worker-bundles.mjs writes it into what is built.

export interface ThreadParts {
  /** Of each part: where it begins and ends in the text, and the line of this file, from 0. */
  readonly places: readonly (readonly [from: number, to: number, line: number])[]
  /** So many parts run at the start. */
  readonly atOnce: number
}

export const threadParts: ThreadParts = { places: [], atOnce: 0 }

export const threadCode: string = ''
