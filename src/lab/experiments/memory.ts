// lab memory: what does a worker thread cost in memory?

import { median } from '../../measure/stats/summary.js'
import type { MemoryTrial } from '../../measure/trial/trial.js'
import { MAX_THREADS, labTasks, type Experiment, type MeasuredRow } from '../runner/experiment.js'
import { allCpus } from '../runner/wording.js'

const MIB = 1024 * 1024

const parameters = {
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [0, 1, 2, 4, 8, 16],
    least: 0,
    most: MAX_THREADS,
  },
} as const

const kinds = [
  { title: 'bare', tasks: 'idle' },
  { title: 'with node:http, node:crypto, node:zlib and mustache loaded', tasks: 'idle-with-modules' },
] as const

export const memory: Experiment<typeof parameters> = {
  name: 'memory',
  question: 'What does a worker thread cost in memory?',
  takes: 'about a minute',
  parameters,
  rounds: 3,
  mode: 'memory',
  rows: ({ threads }) =>
    kinds.flatMap(({ title, tasks }) =>
      threads.map((size) => ({
        label: title,
        cell: {
          source: { kind: 'task', url: labTasks(tasks), task: 'nothing', inputs: [[]] },
          variant: 'nothing',
          executor: size === 0 ? 'inline' : 'threads',
          size: Math.max(1, size),
          cpus: allCpus(),
          uv: null,
          inFlight: 1,
        },
      })),
    ),
  conclude(rows) {
    const slopes = kinds.map(({ title }) => slopeOf(rows.filter(({ label }) => label === title)))
    const [bare, loaded] = slopes
    return {
      sentence: slopes.every((slope) => slope === null)
        ? 'What a worker thread adds in private memory could not be measured.'
        : `Each worker thread adds ${mib(bare)} of private memory when bare and ${mib(loaded)} with a few modules loaded, on Node ${process.version}.`,
      remarks: [
        'Private memory (private dirty pages) is what a worker really costs. Resident memory also counts shared pages, and virtual size counts addresses that nothing has ever touched.',
        'The slope is a least-squares line through the measured numbers of threads; the first worker costs more than the next, since it loads code that they share.',
      ],
      tables: kinds.map(({ title }, i) => ({
        title: `Memory of the process, threads ${title}; ${mib(slopes[i])} private per thread`,
        columns: ['threads', 'private, MiB', 'resident, MiB', 'virtual, MiB'],
        rows: rows.filter(({ label }) => label === title).map(tableRow),
      })),
      heatMaps: [],
    }
  },
}

function threadsOf({ cell }: MeasuredRow): number {
  return cell.executor === 'inline' ? 0 : cell.size
}

function tableRow(row: MeasuredRow): (string | number | null)[] {
  if (row.failed !== undefined) return [threadsOf(row), null, null, row.failed]
  return [
    threadsOf(row),
    ...(['privateBytes', 'rssBytes', 'virtualBytes'] as const).map((key) => medianMib(row, key)),
  ]
}

function medianMib(
  { memory: trials = [] }: MeasuredRow,
  key: keyof Omit<MemoryTrial, 'kind'>,
): number | null {
  const values = trials.map((trial) => trial[key]).filter((value) => value !== null)
  return values.length === 0 ? null : Number((median(values) / MIB).toFixed(1))
}

/** MiB per thread: the slope of the least-squares line; null with fewer than two points. */
function slopeOf(rows: readonly MeasuredRow[]): number | null {
  const points = rows.flatMap((row) => {
    const y = medianMib(row, 'privateBytes')
    return y === null ? [] : [{ x: threadsOf(row), y }]
  })
  if (new Set(points.map(({ x }) => x)).size < 2) return null
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / points.length
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / points.length
  const covariance = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0)
  return covariance / points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0)
}

function mib(value: number | null | undefined): string {
  return value === null || value === undefined ? 'an unknown amount' : `${value.toFixed(1)} MiB`
}
