// The matrix: executor and size against CPU limit, coloured by how often as fast as inline.

import type { Cell, MeasureResult } from '../../results/result.js'
import {
  cellVerdict,
  compareConfigurations,
  configurationName,
  groupVariants,
  hasVariants,
  isAdvised,
  isBaseline,
  isMeasured,
  unique,
  type CellGroup,
} from '../figures/cell-groups.js'
import { textMark } from '../markup/executor-mark.js'
import { finite, formatCpuLimit, formatRate, formatRatio } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, scrollBox, variantHeading } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

/** From this distance from 1 a cell gets the next stronger colour: 5 %, 20 %, 1.5 times, 2 times, either way. */
const steps = [1.05, 1.2, 1.5, 2]

/** One matrix per variant; nothing without cells. */
export function matrices(result: MeasureResult): Markup[] {
  return groupVariants(result)
    .map(({ variant, groups }) => ({ variant, groups: groups.filter(({ cells }) => cells.length > 0) }))
    .filter(({ groups }) => groups.length > 0)
    .map(({ variant, groups }) => {
      const caption =
        'Each field says how often as fast as inline an executor was under a CPU limit; the stronger the colour, the larger the difference.'
      const label = `Throughput relative to inline per executor and CPU limit, ${variant}`
      return markup`${variantHeading(hasVariants(result.workload), variant)}${figure(label, caption, [key, scrollBox(label, matrixTable(groups))])}`
    })
}

const key = markup`<ul class="keys">${[
  sample('f3', 'faster'),
  sample('s3', 'slower'),
  sample('hatch', 'cannot tell'),
  sample('pickbox', 'advised'),
]}</ul>`

function sample(kind: string, word: string): Markup {
  return markup`<li class="sample ${kind}">${word}</li>`
}

function matrixTable(groups: CellGroup[]): Markup {
  const head = groups.map(({ cpus }) => markup`<th scope="col">${typeset(formatCpuLimit(cpus))}</th>`)
  const cells = groups.flatMap((group) => group.cells).sort(compareConfigurations)
  const rows = unique(cells.map(configurationName)).map((name) => {
    const executor = cells.find((cell) => configurationName(cell) === name)?.executor ?? 'inline'
    return markup`<tr><th scope="row">${textMark(executor)} ${name}</th>${groups.map((group) => matrixCell(group, name))}</tr>\n`
  })
  return markup`<table class="matrix"><thead><tr><td></td>${head}</tr></thead><tbody>${rows}</tbody></table>`
}

function matrixCell({ cells, advice }: CellGroup, name: string): Markup {
  const cell = cells.find((one) => configurationName(one) === name)
  if (!cell) return markup`<td class="none" title="not measured">–</td>`
  const pick = isAdvised(cell, advice) ? ' pickbox' : ''
  if (!isMeasured(cell)) return markup`<td class="none" title="${cell.failed ?? ''}">failed</td>`
  const title = `${typeset(formatRate(cell.throughput.median))}, ${isBaseline(cell) ? 'baseline' : cellVerdict(cell)}`
  const text = isBaseline(cell) ? '1' : typeset(formatRatio(cell.ratio.value))
  return markup`<td class="${shade(cell)}${pick}" title="${title}"><b>${text}</b>${isBaseline(cell) ? null : markup` <small>${cellVerdict(cell)}</small>`}</td>`
}

/** What cannot be told is never drawn in a strong colour. */
function shade(cell: Cell): string {
  const ratio = finite(cell.ratio.value) ?? 1
  const level = steps.filter((step) => Math.max(ratio, 1 / ratio) >= step).length
  const shown = cell.verdict === 'cannot-tell' ? Math.min(level, 1) : level
  const colour = shown === 0 ? 'even' : `${ratio > 1 ? 'f' : 's'}${shown}`
  return cell.verdict === 'cannot-tell' ? `${colour} hatch` : colour
}
