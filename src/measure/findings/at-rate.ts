// Calls that are due at a given rate: how long their callers wait inline, and on what is advised or comes next to it.

import { challengers, inlineCell, nearestOf, type FindingContext } from './context.js'
import { duration, nameOf } from './wording.js'
import type { Cell, Reason } from '../results/result.js'

export function atRate({ cells, chosen }: FindingContext): Reason | null {
  const inline = inlineCell(cells)
  const other = chosen !== null && chosen.executor !== 'inline' ? chosen : nearestOf(challengers(cells))
  const rate = inline?.atRate?.rate
  if (!inline || !other?.atRate || rate === undefined) return null
  return {
    id: 'at-rate',
    level: 'hint',
    sentence: `When ${rate} calls are due each second, ${waits(inline)}, and ${waits(other)}.`,
    evidence: { rate, ...p99Of('inlineP99Ms', inline), ...p99Of('p99Ms', other) },
  }
}

function waits(cell: Cell): string {
  const { isKept, p50, p99 } = cell.atRate!
  const where = cell.executor === 'inline' ? 'inline' : `with ${nameOf(cell)}`
  if (!isKept) return `${where} callers wait longer and longer: so many cannot be done`
  if (p50 === null) return `${where} too few were made to say`
  const most = p99 === null ? '' : `, 99 of 100 at most ${duration(1000 * p99)}`
  return `${where} half of the callers wait at most ${duration(1000 * p50)}${most}`
}

function p99Of(name: string, { atRate: found }: Cell): Record<string, number> {
  return found?.isKept && found.p99 !== null ? { [name]: found.p99 } : {}
}
