// Bars of the memory that each executor adds, one segment per worker.

import type { Cell, MeasureResult } from '../../results/result.js'
import { round } from './axis-scale.js'
import {
  compareConfigurations,
  configurationName,
  groupVariants,
  hasVariants,
  unique,
} from '../figures/cell-groups.js'
import { textMark } from '../markup/executor-mark.js'
import { finite, formatBytes } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, variantHeading } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

interface Memory {
  cell: Cell
  workers: number
  perWorker: number
  total: number
}

/** Beyond this many workers a segment would be thinner than its border. */
const MAX_SEGMENTS = 32
const barHeight = 14

/** One figure per variant; nothing where no memory is known. */
export function memoryBars(result: MeasureResult): Markup[] {
  return groupVariants(result).flatMap(({ variant, groups }) => {
    const bars = largestMemory(groups.flatMap(({ cells }) => cells))
    const most = Math.max(...bars.map(({ total }) => total))
    if (bars.length === 0) return []
    const caption =
      'Private memory added to the program with the task module loaded, one segment per worker; ' +
      'the highest value under any CPU limit.'
    const rows = bars.map((memory) => memoryRow(memory, most))
    return [
      markup`${variantHeading(hasVariants(result.workload), variant)}${figure(`Memory per executor, ${variant}`, caption, markup`<ul class="bars">${rows}</ul>`)}`,
    ]
  })
}

function largestMemory(cells: Cell[]): Memory[] {
  const known = cells.flatMap((cell): Memory[] => {
    const perWorker = finite(cell.memoryBytes)
    if (cell.failed !== null || perWorker === null || perWorker < 0) return []
    const workers = cell.executor === 'threads' || cell.executor === 'processes' ? cell.size : 1
    return [{ cell, workers, perWorker, total: perWorker * workers }]
  })
  return unique(known.map(({ cell }) => configurationName(cell)))
    .flatMap((name) => {
      const same = known.filter(({ cell }) => configurationName(cell) === name)
      return same.sort((a, b) => b.total - a.total).slice(0, 1)
    })
    .sort((a, b) => compareConfigurations(a.cell, b.cell))
}

function memoryRow({ cell, workers, perWorker, total }: Memory, most: number): Markup {
  const each = workers > 1 ? `${workers} × ${typeset(formatBytes(perWorker))}` : ''
  const width = most > 0 ? (total / most) * 100 : 0
  const segments = Math.min(workers, MAX_SEGMENTS)
  const parts = Array.from({ length: segments }, (_, index) => {
    return markup`<rect x="${round((width * index) / segments)}%" width="${round(width / segments)}%" y="0" height="${barHeight}"/>`
  })
  const title = `${configurationName(cell)}: ${typeset(formatBytes(total))}${each ? ` (${each})` : ''}`
  return markup`<li><span class="who">${textMark(cell.executor)} <span>${configurationName(cell)}</span></span><svg class="bar ${cell.executor}" width="100%" height="${barHeight}" aria-hidden="true"><title>${title}</title>${parts}</svg><span class="figures"><b>${typeset(formatBytes(total))}</b> <span class="interval">${each}</span></span></li>\n`
}
