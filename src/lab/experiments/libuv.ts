// lab libuv: what does the size of libuv's thread pool do to work that Node gives to it?

import { availableParallelism, cpus } from 'node:os'
import { median } from '../../measure/stats/summary.js'
import { labTasks, type Experiment, type MeasuredRow } from '../runner/experiment.js'
import { allCpus, plural } from '../runner/wording.js'

const ITERATIONS = 60_000
const BURSTS = 3

const parameters = {
  calls: { flag: '--calls <n>', description: 'pbkdf2 calls that start together', initial: 16, most: 100_000 },
  pools: {
    flag: '--pools <list>',
    description: 'values of UV_THREADPOOL_SIZE',
    initial: [1, 2, 4, 8, 16],
    most: 1024,
  },
} as const

export const libuv: Experiment<typeof parameters> = {
  name: 'libuv',
  question: "What does the size of libuv's thread pool do to work that Node gives to it?",
  takes: 'about half a minute',
  parameters,
  rounds: 3,
  mode: 'burst',
  burst: ({ calls }) => ({ calls, bursts: BURSTS }),
  rows: ({ pools }) =>
    pools.map((uv) => ({
      label: `UV_THREADPOOL_SIZE=${uv}`,
      cell: {
        source: {
          kind: 'task',
          url: labTasks('hash-passwords'),
          task: 'hashPassword',
          inputs: [[ITERATIONS]],
        },
        variant: 'hashPassword',
        executor: 'inline',
        size: 1,
        cpus: allCpus(),
        uv,
        inFlight: 1,
      },
    })),
  conclude(rows, { calls }) {
    const shown = rows.map((row) => ({ row, ends: typicalEnds(row) }))
    return {
      sentence: sentenceOf(shown, calls),
      remarks: [
        `Node says ${availableParallelism()} (os.availableParallelism()), the machine has ${cpus().length} (os.cpus()), and libuv's pool has 4 threads unless UV_THREADPOOL_SIZE says otherwise: three numbers that do not know of each other.`,
        'The pool is one per process: all worker threads share it, and so do files, DNS look-ups and zlib.',
      ],
      tables: [
        {
          title: `${calls} pbkdf2 calls that start together`,
          columns: ['pool', 'first ends, ms', 'half have ended, ms', 'all have ended, ms', 'end times, ms'],
          rows: shown.map(({ row, ends }) => tableRow(row, ends)),
        },
      ],
      heatMaps: [],
    }
  },
}

type Shown = { row: MeasuredRow; ends: number[] }

/** The n-th end time of a typical burst: the median over all bursts of all rounds. */
function typicalEnds({ bursts = [] }: MeasuredRow): number[] {
  const all = bursts.flatMap(({ endsMs }) => endsMs)
  const length = all[0]?.length ?? 0
  return Array.from({ length }, (_, i) => median(all.map((ends) => ends[i]!)))
}

function tableRow({ label, failed }: MeasuredRow, ends: number[]): (string | number | null)[] {
  if (ends.length === 0) return [label, null, null, null, failed ?? 'not measured']
  const at = (index: number) => Math.round(ends[index]!)
  return [label, at(0), at(ends.length >> 1), at(ends.length - 1), batches(ends)]
}

/** "4 x 52, 4 x 104": calls that end together, where a gap of a fifth of the first time separates batches. */
function batches(ends: readonly number[]): string {
  const gap = ends[0]! / 5
  const groups: number[][] = []
  for (const end of ends) {
    const last = groups.at(-1)
    if (last && end - last.at(-1)! < gap) last.push(end)
    else groups.push([end])
  }
  return groups.map((group) => `${group.length} x ${Math.round(median(group))}`).join(', ')
}

function sentenceOf(shown: readonly Shown[], calls: number): string {
  const finished = shown.filter(({ ends }) => ends.length > 0)
  if (finished.length === 0) return 'Nothing could be measured.'
  const last = ({ ends }: Shown) => ends.at(-1)!
  const first = finished[0]!
  const best = finished.reduce((a, b) => (last(b) < last(a) * 0.95 ? b : a))
  const from = `With ${plural(first.row.cell.uv!, 'thread')} in libuv's pool, ${calls} pbkdf2 calls end after ${Math.round(last(first))} ms`
  if (best === first) return `${from}, and more threads do not end them sooner on this machine.`
  const gain = (last(first) / last(best)).toFixed(1)
  const to = `with ${best.row.cell.uv} after ${Math.round(last(best))} ms (${gain} times sooner)`
  if (best === finished.at(-1)) return `${from}, ${to}.`
  return `${from}, ${to}; beyond that, more threads gain nothing on ${plural(allCpus(), 'CPU')}, they only make all calls end late together.`
}
