// What doctor and the process of a replay tell each other.

import type { KeptCall } from '../../agent/messages.js'

/** Number of the file on which the process writes its result, as JSON. */
export const RESULT_PIPE = 3

export interface ReplayJob {
  /** URL of the task module. */
  readonly module: string
  readonly task: string
  readonly calls: readonly KeptCall[]
  /** The same calls with redacted arguments, serialized; null: none are to be written. */
  readonly redacted: readonly string[] | null
}

export type ReplayResult =
  | { readonly loadError: string }
  | {
      readonly loadError: null
      /** Calls that gave the same as in the app, both times. */
      readonly same: number
      /** Calls that gave one thing and then another. */
      readonly unsteady: number
      /** The first error of a call that did not fail in the app. */
      readonly error: string | null
      /** What it does to the world, such as "it writes files", and was kept from; null: nothing. */
      readonly tried: string | null
      /** Share of the time of its calls in which nothing ran in their thread. */
      readonly waiting: number
      /** Median of a call, with the real and with the redacted arguments. */
      readonly ms: number
      readonly redactedMs: number | null
      /** The redacted arguments are none for the function. */
      readonly redactedError: string | null
    }
