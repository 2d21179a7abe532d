// The figures of a measured server as tables, and its rows in the form that the plots draw.

import type { LabTable } from '../../results/lab-result.js'
import type { Cell } from '../../results/result.js'
import type { ServerCell, ServerResult } from '../../results/server-result.js'
import {
  formatPlain,
  formatCpuLimit,
  formatMs,
  formatPercent,
  formatRange,
  formatRatio,
} from './format-number.js'
import { cellVerdict } from './cell-groups.js'

/** All rows of one limit; the first is one process on the first path. */
export interface LimitGroup {
  readonly cpus: number
  readonly cells: readonly ServerCell[]
}

export function groupByLimit(cells: readonly ServerCell[]): LimitGroup[] {
  const limits = [...new Set(cells.map(({ cpus }) => cpus))].sort((a, b) => a - b)
  return limits.map((cpus) => ({ cpus, cells: cells.filter((cell) => cell.cpus === cpus) }))
}

export function serverTables(result: Pick<ServerResult, 'cells'>): LabTable[] {
  return groupByLimit(result.cells).flatMap((group) => [speedTable(group), ...latencyTable(group)])
}

function speedTable({ cpus, cells }: LimitGroup): LabTable {
  const [baseline] = cells
  const { method = 'none', exact = true } = baseline?.enforcement ?? {}
  const how = method === 'none' ? '' : ` (limited by ${method}${exact ? '' : ', not exact'})`
  const hasErrors = cells.some(({ errorRate }) => errorRate > 0)
  const heads = ['row', 'requests/s', 'vs one', '95 % interval', 'verdict', 'server CPUs', 'load CPUs']
  return {
    title: `${formatCpuLimit(cpus)}${how}: as many requests as it answers`,
    columns: [...heads, ...(hasErrors ? ['errors'] : [])],
    rows: cells.map((cell) => [
      ...speedRow(cell, cell === baseline),
      ...(hasErrors ? [formatPercent(100 * cell.errorRate)] : []),
    ]),
  }
}

function speedRow(cell: ServerCell, isBaseline: boolean): LabTable['rows'][number] {
  const { name, throughput, ratio, failed, serverCpus, generatorCpu } = cell
  if (failed !== null) return [name, null, null, '', 'failed', null, null]
  return [
    name,
    rounded(throughput.median),
    isBaseline ? 1 : Number(formatRatio(ratio.value)),
    isBaseline ? '' : formatRange(ratio.low, ratio.high, formatRatio),
    isBaseline ? 'baseline' : verdictOfRow(cell),
    rounded(serverCpus),
    rounded(generatorCpu),
  ]
}

export function verdictOfRow({ verdict, isAtLeast, limitedBecause, noGain }: ServerCell): string {
  if (limitedBecause !== null) return 'cannot tell: generator'
  return isAtLeast && verdict === 'faster' ? 'faster, at least' : cellVerdict({ verdict, noGain })
}

function latencyTable({ cpus, cells }: LimitGroup): LabTable[] {
  const timed = cells.filter(({ latency }) => latency.length > 0)
  if (timed.length === 0) return []
  const rates = new Map(timed.flatMap(({ latency }) => latency.map((each) => [each.share, each])))
  const shares = [...rates.keys()].sort((x, y) => x - y)
  const percent = (share: number) => `${Math.round(100 * share)} %`
  const heads = shares.map((share) => `${percent(share)}: ${perSecond(rates.get(share)!.rate)}/s`)
  const compared = shares.filter((share) => rates.get(share)!.isCompared)
  const hasTimeouts = timed.some(({ timeouts }) => timeouts > 0)
  return [
    {
      title: `${formatCpuLimit(cpus)}: latency at equal rates, half / 99 of 100 answered within`,
      columns: [
        'row',
        ...heads,
        ...compared.map((share) => `p99 at ${percent(share)}`),
        ...(hasTimeouts ? ['timed out'] : []),
      ],
      rows: timed.map((cell) => [
        cell.name,
        ...shares.map((share) => timesAt(cell, share)),
        cell === cells[0] ? 'baseline' : promptnessOf(cell),
        ...(hasTimeouts ? [cell.timeouts] : []),
      ]),
    },
  ]
}

function perSecond(rate: number): string {
  return formatPlain(rate < 10 ? rate : Math.round(rate))
}

/** Not every row has the time for every rate. */
function timesAt({ latency }: ServerCell, share: number): string | null {
  const at = latency.find((each) => each.share === share)
  return at === undefined ? null : `${formatMs(at.p50)} / ${formatMs(at.p99)}`
}

function promptnessOf({ latencyVerdict }: ServerCell): string {
  const words = { faster: 'shorter', slower: 'longer', same: 'same', 'cannot-tell': 'cannot tell' }
  return words[latencyVerdict]
}

/** For the plots of executors: one process has the mark of inline, threads theirs, and a cluster that of processes. */
export function asPlotCell(cell: ServerCell, mainPath: string): Cell {
  const executor = cell.way === 'cluster' ? 'processes' : cell.path === mainPath ? 'inline' : 'threads'
  const { cpus, instances, enforcement, windows, throughput, ratio, samples, verdict, band } = cell
  const { startMs, errorRate, firstError, failed } = cell
  return {
    variant: cell.path,
    executor,
    size: instances,
    cpus,
    uv: null,
    inFlight: 0,
    enforcement,
    throughput,
    ratio,
    verdict,
    band,
    startMs,
    errorRate,
    firstError,
    failed,
    windows,
    processes: 0,
    standardError: null,
    noGain: cell.noGain,
    samples,
    latency: { p50: null, p99: null, count: 0 },
    atRate: null,
    loopDelay: { p50: null, p99: null },
    memoryBytes: null,
    leakBytesPerCall: null,
    cpuSecondsPerTask: null,
    mainCpuSecondsPerTask: null,
    throttled: null,
  }
}

function rounded(value: number | null): number | null {
  return value === null || !Number.isFinite(value) ? null : Number(value.toPrecision(3))
}
