// A script of the app, parsed once.

import type { ScriptText } from '../agent/messages.js'
import type { PlaceOf } from './original-place.js'
import type { ParsedScript } from './script-functions.js'

export interface AppScript extends ScriptText {
  /** Null: it could not be read as JavaScript. */
  readonly parsed: ParsedScript | null
  placeOf: PlaceOf
}
