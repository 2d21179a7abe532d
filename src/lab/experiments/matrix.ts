// lab matrix: how do threads and cores multiply, for a task that computes and then waits?

import { boundOf } from '../../measure/demand-model.js'
import { MAX_CPUS, MAX_THREADS, labTasks, type Experiment, type MeasuredRow } from '../runner/experiment.js'
import { measureServerMatrix } from './matrix-server.js'
import { allCpus, nameLimit, plural } from '../runner/wording.js'

const DIVISIONS = 500_000 // about 2 ms
const WAIT_MS = 2

const parameters = {
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2, 3, 4],
    most: MAX_THREADS,
  },
  cpus: {
    flag: '--cpus <list>',
    description: 'CPU limits',
    get initial() {
      return wholeNumbers(allCpus())
    },
    least: 'fraction',
    most: MAX_CPUS,
  },
  server: { flag: '--server', description: 'the pool works behind an HTTP server', initial: false },
} as const

export const matrix: Experiment<typeof parameters> = {
  name: 'matrix',
  question: 'How do threads and cores multiply, for a task that computes 2 ms and then waits 2 ms?',
  takes: 'about a minute, with --server two',
  parameters,
  mode: 'cell',
  own: ({ threads, cpus, server }, run) =>
    server ? measureServerMatrix({ threads, cpus, work: [DIVISIONS, WAIT_MS] }, run) : null,
  rows: ({ threads, cpus }) =>
    cpus.flatMap((limit) =>
      threads.map((size) => ({
        label: `${plural(size, 'thread')} at ${nameLimit(limit)}`,
        cell: {
          source: {
            kind: 'task',
            url: labTasks('burn-and-wait'),
            task: 'burnAndWait',
            inputs: [[DIVISIONS, WAIT_MS]],
          },
          variant: 'burnAndWait',
          executor: 'threads',
          size,
          cpus: limit,
          uv: null,
          inFlight: 4 * size,
        },
      })),
    ),
  baselineOf: (_row, rows) => rows[0],
  conclude(rows, { threads, cpus }) {
    const columns = [...cpus, ...beyond(Math.max(...cpus))]
    const values = threads.map((size) => columns.map((limit) => valueAt(rows, size, limit)))
    const isPredicted = (limit: number) => !cpus.includes(limit)
    return {
      sentence: sentenceOf(rows, threads, cpus),
      remarks: [
        'Columns beyond this machine are bounds from the CPU time per task (what cannot be exceeded), not promises.',
        'A thread beyond the number of CPUs adds nothing for work that computes; while a task waits, its thread runs another.',
      ],
      tables: [
        {
          title: 'Tasks per second by threads (rows) and CPUs (columns); ~ is predicted',
          columns: [
            'threads',
            ...columns.map((limit) => `${isPredicted(limit) ? '~' : ''}${nameLimit(limit)}`),
          ],
          rows: threads.map((size, i) => [size, ...values[i]!.map((value) => value && Math.round(value))]),
        },
      ],
      heatMaps: [
        {
          title: 'Tasks per second',
          rowTitle: 'threads',
          columnTitle: 'CPUs',
          rows: threads.map(String),
          columns: columns.map(String),
          values,
          predicted: threads.map(() => columns.map(isPredicted)),
          unit: 'tasks/s',
        },
      ],
    }
  },
}

function find(rows: readonly MeasuredRow[], size: number, cpus: number): MeasuredRow | undefined {
  return rows.find(({ cell, failed }) => cell.size === size && cell.cpus === cpus && failed === undefined)
}

function valueAt(rows: readonly MeasuredRow[], size: number, cpus: number): number | null {
  const measured = find(rows, size, cpus)?.measured
  return measured ? measured.throughput.median : predictAt(rows, size, cpus)
}

/** The operational bound from the CPU times of one thread at the largest measured limit (see demand-model.ts). */
function predictAt(rows: readonly MeasuredRow[], size: number, cpus: number): number | null {
  const largest = Math.max(...rows.map(({ cell }) => cell.cpus))
  if (cpus <= largest) return null
  const cell = find(rows, Math.min(...rows.map((row) => row.cell.size)), largest)?.measured
  if (!cell || cell.cpuSecondsPerTask === null || cell.mainCpuSecondsPerTask === null) return null
  const main = cell.mainCpuSecondsPerTask
  // While a task waits its thread runs another one, so waiting takes no worker: W is 0.
  return boundOf({ main, rest: cell.cpuSecondsPerTask - main, wait: 0 }, size, cpus)
}

function beyond(cpus: number): number[] {
  return [2 * cpus, 4 * cpus]
}

function wholeNumbers(largest: number): number[] {
  return largest < 1 ? [largest] : Array.from({ length: Math.floor(largest) }, (_, i) => i + 1)
}

function sentenceOf(
  rows: readonly MeasuredRow[],
  threads: readonly number[],
  cpus: readonly number[],
): string {
  const largest = Math.max(...cpus)
  const one = find(rows, threads[0]!, largest)?.measured
  const cells = threads.flatMap((size) => find(rows, size, largest)?.measured ?? [])
  if (!one || cells.length === 0) return 'Nothing could be compared.'
  const best = cells.reduce((a, b) => (b.throughput.median > a.throughput.median * 1.05 ? b : a))
  const gain = (best.throughput.median / one.throughput.median).toFixed(2)
  if (best.size === one.size)
    return `At ${nameLimit(largest)} more than ${plural(one.size, 'thread')} gains nothing.`
  const slower = Math.min(...cpus)
  const limited = cells.length > 0 && slower < largest ? find(rows, best.size, slower)?.measured : undefined
  const atOne = limited && find(rows, threads[0]!, slower)?.measured
  const tail = atOne
    ? `; at ${nameLimit(slower)} the same threads give ${(limited.throughput.median / atOne.throughput.median).toFixed(2)} times`
    : ''
  return `At ${nameLimit(largest)}, ${plural(best.size, 'thread')} give ${gain} times the throughput of ${plural(one.size, 'thread')}${tail}.`
}
