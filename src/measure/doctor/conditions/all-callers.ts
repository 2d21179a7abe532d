// Who has to await a function that moves, by real calls and by the source, and whether all of them can.

import type { DoctorCondition } from '../../results/doctor-result.js'
import type { Watched } from '../agent/messages.js'
import type { UserFiles } from '../source/find-script.js'
import { judgeCallers } from './judge-callers.js'
import { placeText, type Places } from '../source/places.js'
import { unseenCallers, type Called } from './unseen-callers.js'

export interface AllCallers {
  /** Why it cannot move; null: everybody can wait. */
  readonly cannot: string | null
  readonly conditions: readonly DoctorCondition[]
}

export function allCallers(
  called: Called,
  seen: Watched,
  { files, places }: { files: UserFiles; places: Places },
): AllCallers {
  if (seen.usesContext)
    return {
      cannot: 'it takes something of the request that it is called for (AsyncLocalStorage)',
      conditions: [],
    }
  const real = judgeCallers(called.name, seen.callers, places)
  if (real.cannot !== null) return real
  const unseen = unseenCallers(called, files, places)
  if (unseen.cannot !== null) return unseen
  const known = new Set(real.conditions.map(keyOf))
  return {
    cannot: null,
    conditions: [...real.conditions, ...unseen.conditions.filter((each) => !known.has(keyOf(each)))],
  }
}

/** A call of the same function at the same place is named once. */
function keyOf({ kind, text, ...place }: DoctorCondition): string {
  const [, called] = / (?:awaits|calls) (\S+)/.exec(text) ?? []
  return `${placeText(place)} ${kind === 'await-callers' ? called : text}`
}
