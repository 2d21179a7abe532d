// The verdict on a cell as one quiet word.

import type { Cell } from '../../results/result.js'
import { cellVerdict, isBaseline } from '../figures/cell-groups.js'
import { markup, type Markup } from './markup.js'

/** "faster", "slower", "same", "no gain", "cannot tell", "baseline" or "failed". */
export function cellBadge(cell: Cell): Markup {
  return verdictBadge(cell, isBaseline(cell))
}

/** The same for a cell of which somebody else knows whether it is the baseline. */
export function verdictBadge(cell: Cell, isBaseline: boolean): Markup {
  if (cell.failed !== null) return badge('failed', 'failed')
  return isBaseline ? badge('baseline', 'baseline') : badge(cell.verdict, cellVerdict(cell))
}

/** Any word in the form of a badge; `kind` is its class. */
export function badge(kind: string, text: string): Markup {
  return markup`<span class="badge ${kind}">${text}</span>`
}
