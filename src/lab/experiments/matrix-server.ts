// lab matrix --server: threads and cores of a pool that works behind an HTTP server.

import { fileURLToPath } from 'node:url'
import { measureRows, realSurroundings, type ServerSurroundings } from '../../measure/server/measure-rows.js'
import { resolveServerOptions } from '../../measure/server/options.js'
import type { ServerRow } from '../../measure/server/server-trial.js'
import type { OwnResult, OwnRun } from '../runner/experiment.js'
import { nameLimit, plural } from '../runner/wording.js'
import { judgeServerMatrix, type MatrixSpot } from './judge-server-matrix.js'
import { predictServer, scaleUnits, type PredictServer } from './scale-units.js'

export interface MatrixValues {
  readonly threads: readonly number[]
  readonly cpus: readonly number[]
  /** Arguments of the task: divisions, and ms to wait. */
  readonly work: readonly number[]
}

const CALLS_PER_THREAD = 4

export async function measureServerMatrix(
  values: MatrixValues,
  { rounds, budget, signal, onServer }: OwnRun,
  surroundings: ServerSurroundings = realSurroundings(),
  predict: PredictServer = predictServer,
): Promise<OwnResult> {
  const file = fileURLToPath(new URL('../../lab/servers/pool-server.js', import.meta.url))
  const connections = CALLS_PER_THREAD * Math.max(...values.threads)
  const options = { cpus: values.cpus, connections, quick: true, seed: 1, rounds, budget, signal }
  const resolved = resolveServerOptions(file, { ...options, onProgress: onServer })
  const rows = rowsOf(values, resolved.cpus)
  const { cells, skipped, noise, complete } = await measureRows(rows, resolved, surroundings, true)
  const measured = rows.filter(({ cpus }) => cells.some((cell) => cell.cpus === cpus))
  const spots = measured.map((row, index): MatrixSpot => ({ threads: threadsOf(row), cell: cells[index]! }))
  const conclusion = concludeServerMatrix(spots, { ...values, cpus: resolved.cpus })
  const scaled = await scaleUnits(spots, () => predict({ file, env: envOf(1, values.work), signal }))
  const tables = [...conclusion.tables, ...scaled.tables]
  const remarks = [
    ...conclusion.remarks,
    ...scaled.remarks,
    ...skipped.map(({ cpus, reason }) => `Not measured at ${nameLimit(cpus)}: ${reason}`),
  ]
  return { ...conclusion, tables, remarks, servers: [], noise, complete }
}

/** At each limit the fewest threads first: the others are compared with them. */
function rowsOf({ threads, work }: MatrixValues, cpus: readonly number[]): ServerRow[] {
  const sizes = [...new Set(threads)].sort((a, b) => a - b)
  return cpus.flatMap((limit) =>
    sizes.map((size, index): ServerRow => ({
      name: plural(size, 'thread'),
      way: 'single',
      path: '/',
      instances: 1,
      cpus: limit,
      role: index === 0 ? 'baseline' : 'other',
      env: envOf(size, work),
    })),
  )
}

const THREADS = 'THREADWISE_LAB_THREADS'

function envOf(size: number, work: readonly number[]): Record<string, string> {
  return { [THREADS]: String(size), THREADWISE_LAB_WORK: JSON.stringify(work) }
}

function threadsOf({ env }: ServerRow): number {
  return Number(env![THREADS])
}

/** Exported for its tests. */
export function concludeServerMatrix(spots: readonly MatrixSpot[], { threads, cpus }: MatrixValues) {
  const values = threads.map((size) => cpus.map((limit) => speedOf(spots, size, limit)))
  return {
    sentence: judgeServerMatrix(spots),
    remarks: [...doubts(spots), ...failures(spots)],
    tables: [
      {
        title: 'Requests per second by threads of the pool (rows) and CPUs of the server (columns)',
        columns: ['threads', ...cpus.map(nameLimit)],
        rows: threads.map((size, i) => [size, ...values[i]!.map((value) => value && Math.round(value))]),
      },
    ],
    heatMaps: [
      {
        title: 'Requests per second',
        rowTitle: 'threads',
        columnTitle: 'CPUs',
        unit: 'requests/s',
        rows: threads.map(String),
        columns: cpus.map(String),
        values,
        predicted: threads.map(() => cpus.map(() => false)),
      },
    ],
  }
}

function speedOf(spots: readonly MatrixSpot[], size: number, limit: number): number | null {
  const spot = spots.find(({ threads, cell }) => threads === size && cell.cpus === limit)
  return spot === undefined || spot.cell.failed !== null ? null : spot.cell.throughput.median
}

/** What the load spoilt, which runs on the same machine. */
function doubts(spots: readonly MatrixSpot[]): string[] {
  const limited = spots.filter(({ cell }) => cell.limitedBecause !== null)
  const squeezed = spots.filter(({ cell }) => cell.isAtLeast)
  const names = (list: readonly MatrixSpot[]) => list.map(nameOf).join(', ')
  return [
    ...(limited.length > 0
      ? [`Cannot tell for ${names(limited)}: the load generator was the bottleneck.`]
      : []),
    ...(squeezed.length > 0
      ? [`The load generator took CPU time from ${names(squeezed)}: these could answer more.`]
      : []),
  ]
}

function failures(spots: readonly MatrixSpot[]): string[] {
  const failed = spots.filter(({ cell }) => cell.failed !== null)
  return failed.map((spot) => `${nameOf(spot)} could not be measured: ${spot.cell.failed}.`)
}

function nameOf({ threads, cell }: MatrixSpot): string {
  return `${plural(threads, 'thread')} at ${nameLimit(cell.cpus)}`
}
