// What doctor and the process of a replay tell each other.

import type { KeptCall } from '../../agent/messages.js'
import type { Difference } from '../../state/compare-states.js'
import type { StateGraph } from '../../state/state-graph.js'

/** Number of the file on which the process writes its result, as JSON. */
export const RESULT_PIPE = 3

/** Milliseconds of a call: of longer ones fewer are made again. */
export const LONG_MS = 500

export interface ReplayJob {
  /** URL of the task module. */
  readonly module: string
  readonly task: string
  readonly calls: readonly KeptCall[]
  /** Of the function, as it is in the app. */
  readonly text: string
  /** The same calls were made behind walls, and tried nothing: they may be made where there are none. */
  readonly didNothing?: boolean
  /** The same calls with redacted arguments, serialized; null: none are to be written. */
  readonly redacted: readonly string[] | null
  /** Only which parts of its modules they come by is asked. */
  readonly findsUnrun?: boolean
}

export type UnrunResult =
  | { readonly loadError: string }
  /** Parts of the modules of the task that no call came by; null: it cannot be looked at here. */
  | { readonly loadError: null; readonly tried: string | null; readonly unrun: readonly UnrunPart[] | null }

/** `signature`: some of them hold random values. */
export type AskedOfSystem = 'time' | 'chance' | 'signature'

/** What the function can reach in the fresh process. */
export interface ReplayState {
  /** After its calls: what it makes at its first one is there, as it is in the app. */
  readonly graph: StateGraph
  /** What its first calls changed, and what further ones did. */
  readonly first: readonly Difference[]
  readonly further: readonly Difference[]
  /** Of `further` what differs by more than which call was the last one: it counts, or collects. */
  readonly adding: readonly Difference[]
}

export interface UnrunPart {
  /** Name of the module's file. */
  readonly file: string
  /** Offsets in its text. */
  readonly start: number
  readonly end: number
}

export type ReplayResult =
  | { readonly loadError: string }
  | {
      readonly loadError: null
      /** Calls that gave the same as in the app, both times. */
      readonly same: number
      /** Calls that gave one thing and then another. */
      readonly unsteady: number
      /** Of those that gave something else: they did so in no more than what depends on the time, or on chance. */
      readonly masked: number
      /** What it asked for while it was called: the time, random values. */
      readonly asked: readonly AskedOfSystem[]
      /** It wrote to the console, or to standard output. */
      readonly printed: boolean
      /** Null: it cannot be looked at here. */
      readonly state: ReplayState | null
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
