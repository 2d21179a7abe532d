// Every measured figure of every cell, in one table.

import type { Cell } from '../../results/result.js'
import { configurationName, failureText, isBaseline } from '../figures/cell-groups.js'
import { textMark } from '../markup/executor-mark.js'
import {
  dash,
  finite,
  formatBytes,
  formatCount,
  formatMs,
  formatPercent,
  formatPlain,
  formatRange,
  formatRatio,
} from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { scrollBox } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { cellBadge } from '../markup/verdict-badge.js'

/** A cell, and the words in front of it: its variant, or the label of a lab. */
export interface NamedCell {
  cell: Cell
  name: string
}

const heads = ['CPUs', 'in flight', 'windows', 'calls/s', 'lowest – highest', 'times inline', '95 % interval']
const timeHeads = ['p50', 'p99']
const rateHeads = ['at rate p50', 'at rate p99']
const moreHeads = ['loop p50', 'loop p99', 'memory/worker', 'left/call', 'CPU/call', 'main CPU/call']
const lastHeads = ['throttled', 'start', 'errors']

/** The table in a box of its own; `names` is false where the words in front would all be the same. */
export function cellTable(cells: NamedCell[], names: boolean): Markup | null {
  if (cells.length === 0) return null
  const right = (head: string): Markup => markup`<th scope="col" class="num">${head}</th>`
  const first = markup`<th scope="col">executor</th>${names ? markup`<th scope="col">of</th>` : null}`
  const hasRate = cells.some(({ cell }) => cell.atRate !== null)
  const figures = [...timeHeads, ...(hasRate ? rateHeads : []), ...moreHeads, ...lastHeads]
  const head = markup`<thead><tr>${first}${heads.map(right)}<th scope="col">verdict</th>${figures.map(right)}</tr></thead>`
  const columns = heads.length + 1 + figures.length
  const body = cells.map((named, index) =>
    cellRow(named, { names, starts: startsGroup(cells, index), columns, hasRate }),
  )
  const hint = markup`<p class="hint" aria-hidden="true">This table is wider than the page; it scrolls sideways →</p>\n`
  const table = scrollBox('All cells', markup`<table class="data wide">${head}<tbody>${body}</tbody></table>`)
  return markup`${hint}${table}`
}

/** A line is drawn where the variant or the CPU limit changes. */
function startsGroup(cells: NamedCell[], index: number): boolean {
  const [before, here] = [cells[index - 1]?.cell, cells[index]?.cell]
  return before !== undefined && (before.cpus !== here?.cpus || before.variant !== here.variant)
}

interface Table {
  readonly names: boolean
  readonly starts: boolean
  /** Beside the executor and the name. */
  readonly columns: number
  readonly hasRate: boolean
}

function cellRow({ cell, name }: NamedCell, { names, starts, columns, hasRate }: Table): Markup {
  const kind = starts ? 'starts' : 'goes-on'
  const start = markup`<th scope="row">${textMark(cell.executor)} ${configurationName(cell)}</th>${names ? markup`<td class="name">${name}</td>` : null}`
  if (cell.failed !== null)
    return markup`<tr class="${kind}">${start}<td class="num">${formatPlain(cell.cpus)}</td><td class="failure" colspan="${columns - 1}"><div>${failureText(cell)}</div></td></tr>\n`
  const num = (text: string): Markup => markup`<td class="num">${typeset(text)}</td>`
  return markup`<tr class="${kind}">${start}${speedFigures(cell).map(num)}<td>${cellBadge(cell)}</td>${[...timeFigures(cell, hasRate), ...costFigures(cell)].map(num)}${errorCell(cell)}</tr>\n`
}

function speedFigures(cell: Cell): string[] {
  const { throughput, ratio } = cell
  return [
    formatPlain(cell.cpus),
    formatPlain(cell.inFlight),
    formatPlain(cell.windows),
    formatCount(throughput.median),
    formatRange(throughput.low, throughput.high, formatCount),
    isBaseline(cell) ? '1' : formatRatio(ratio.value),
    isBaseline(cell) ? dash : formatRange(ratio.low, ratio.high, formatRatio),
  ]
}

function timeFigures({ latency, atRate }: Cell, hasRate: boolean): string[] {
  const own = [formatMs(latency.p50), formatMs(latency.p99)]
  if (!hasRate) return own
  if (atRate?.isKept === false) return [...own, dash, 'overload']
  return [...own, formatMs(atRate?.p50 ?? null), formatMs(atRate?.p99 ?? null)]
}

function costFigures(cell: Cell): string[] {
  return [
    formatMs(cell.loopDelay.p50),
    formatMs(cell.loopDelay.p99),
    formatBytes(cell.memoryBytes),
    formatBytes(cell.leakBytesPerCall),
    formatSeconds(cell.cpuSecondsPerTask),
    formatSeconds(cell.mainCpuSecondsPerTask),
    formatPercent(cell.throttled),
    formatMs(cell.startMs),
  ]
}

function formatSeconds(seconds: number | null): string {
  const value = finite(seconds)
  return formatMs(value === null ? null : value * 1000)
}

function errorCell({ errorRate, firstError }: Cell): Markup {
  const share = typeset(formatPercent(finite(errorRate) === null ? null : errorRate * 100))
  return markup`<td class="num" title="${firstError ?? ''}">${share}${firstError === null ? null : markup`<div class="error">${firstError}</div>`}</td>`
}
