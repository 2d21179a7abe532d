// lab files: what is the fastest way to read many small files that are in the page cache?

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutorName } from '../../measure/results/result.js'
import type { CellPlan } from '../../measure/trial/trial.js'
import { labTasks, type Experiment, type MeasuredRow, type Row } from '../runner/experiment.js'
import { checkDisk } from '../runner/free-disk.js'
import { MAX_CPUS, MAX_THREADS } from '../runner/experiment.js'
import { noPause } from '../runner/pause.js'
import { allCpus, formatTimes, nameLimit, plural } from '../runner/wording.js'

const FILE_BYTES = 19 * 1024

const parameters = {
  count: { flag: '--count <n>', description: 'number of files of 19 KB', initial: 5000, most: 10_000_000 },
  cpus: {
    flag: '--cpus <list>',
    description: 'CPU limits',
    get initial() {
      return [allCpus(), 0.6]
    },
    least: 'fraction',
    most: MAX_CPUS,
  },
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2, 4],
    most: MAX_THREADS,
  },
} as const

export const files: Experiment<typeof parameters> = {
  name: 'files',
  question: 'What is the fastest way to read many small files that are in the page cache?',
  takes: 'about two minutes',
  parameters,
  mode: 'cell',
  async prepare({ count }, folder, pause = noPause) {
    checkDisk(folder, { option: 'count', count, bytes: FILE_BYTES, files: 1 })
    const text = 'The quick brown fox jumps over the lazy dog. '.repeat(500).slice(0, FILE_BYTES)
    for (let i = 0; i < count; i++) {
      writeFileSync(join(folder, `${i}.txt`), text)
      await pause()
    }
    return {}
  },
  rows: ({ count, cpus, threads }, folder) =>
    cpus.flatMap((limit) => {
      const row = (label: string, task: Task, [executor, size, inFlight]: Way): Row => {
        const source = { kind: 'task', url: labTasks('read-files'), task, inputs: [[folder, count]] } as const
        const cell: CellPlan = { source, variant: task, executor, size, cpus: limit, uv: null, inFlight }
        return { label, cell }
      }
      return [
        row(FIRST, 'readNext', ['inline', 1, 1]),
        row(`Promise.all over ${count}`, 'readNext', ['inline', 1, count]),
        row('16 at a time', 'readNext', ['concurrent', 16, 16]),
        row('64 at a time', 'readNext', ['concurrent', 64, 64]),
        row('synchronous loop', 'readNextSync', ['inline', 1, 1]),
        ...threads.map((n) =>
          row(`${plural(n, 'thread')}, synchronous`, 'readNextSync', ['threads', n, 32 * n]),
        ),
      ]
    }),
  baselineOf: (row, rows) => rows.find(({ label, cell }) => label === FIRST && cell.cpus === row.cell.cpus),
  conclude(rows, { count, cpus }) {
    return {
      sentence: cpus
        .map((limit) =>
          sentenceFor(
            rows.filter(({ cell }) => cell.cpus === limit),
            limit,
          ),
        )
        .join(' '),
      remarks: remarksOn(rows),
      tables: cpus.map((limit) => ({
        title: `${count} files of 19 KB, warm page cache, ${nameLimit(limit)}`,
        columns: [
          'way of reading',
          'files/s',
          `seconds for ${count}`,
          'times one after the other',
          '95 % interval',
          'loop delay p99, ms',
        ],
        rows: rows.filter(({ cell }) => cell.cpus === limit).map((row) => tableRow(row, count)),
      })),
      heatMaps: [],
    }
  },
}

type Task = 'readNext' | 'readNextSync'
/** Executor, size, open calls. */
type Way = [ExecutorName, number, number]

const FIRST = 'one after the other'

function tableRow({ label, measured, failed }: MeasuredRow, count: number): (string | number | null)[] {
  if (!measured || failed !== undefined) return [label, null, null, null, failed ?? 'not measured', null]
  const { throughput, ratio, loopDelay } = measured
  return [
    label,
    Math.round(throughput.median),
    Number((count / throughput.median).toFixed(2)),
    Number(ratio.value.toFixed(2)),
    label === FIRST ? '' : `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}`,
    loopDelay.p99 === null ? null : Number(loopDelay.p99.toFixed(1)),
  ]
}

function sentenceFor(rows: readonly MeasuredRow[], limit: number): string {
  const usable = rows.filter(({ measured, failed }) => measured && failed === undefined)
  const best = usable.reduce<MeasuredRow | undefined>(
    (a, b) => (!a || b.measured!.throughput.median > a.measured!.throughput.median ? b : a),
    undefined,
  )
  if (!best) return `At ${nameLimit(limit)} nothing could be measured.`
  const sync = usable.find(({ label }) => label === 'synchronous loop')
  const rate = `${Math.round(best.measured!.throughput.median)} files/s`
  const ratio = formatTimes(best.measured!.ratio.value)
  const start = `At ${nameLimit(limit)} the fastest way is "${best.label}": ${rate}, ${ratio} reading one after the other asynchronously`
  if (best === sync || !sync) return `${start}.`
  return `${start}; the synchronous loop gives ${formatTimes(sync.measured!.ratio.value)}.`
}

function remarksOn(rows: readonly MeasuredRow[]): string[] {
  const emfile = rows.find(({ failed }) => failed?.includes('EMFILE'))
  return [
    'The files are in the page cache: no disk is involved, so what is measured is the price of each way of asking.',
    'A synchronous read blocks the event loop for its duration: right for a script or a worker, wrong for a busy server.',
    ...(emfile
      ? [
          `"${emfile.label}" failed with EMFILE: it opens more files than the process may have open (see ulimit -n).`,
        ]
      : []),
  ]
}
