// lab render: does rendering a template belong on a thread? A long and a short one.

import { labTasks, type Experiment, type MeasuredRow } from '../runner/experiment.js'
import { AGAIN, figureOf, judgeWorth } from '../runner/judge-worth.js'
import { allCpus, plural } from '../runner/wording.js'

const parameters = {
  threads: { flag: '--threads <list>', description: 'numbers of threads', initial: [1, 2] },
} as const

const templates = [
  { label: '80 repetitions', task: 'renderLong', callsPerThread: 4 },
  { label: '1 repetition', task: 'renderShort', callsPerThread: 64 },
] as const

export const render: Experiment<typeof parameters> = {
  name: 'render',
  question: 'Does rendering a template belong on a thread? A page of 80 cards, and a single card.',
  takes: 'about half a minute',
  parameters,
  mode: 'cell',
  rows: ({ threads }) =>
    templates.flatMap(({ task, callsPerThread }) => {
      const base = {
        source: { kind: 'task', url: labTasks('render-page'), task, inputs: [[]] },
        variant: task,
        cpus: allCpus(),
        uv: null,
      } as const
      return [
        { label: 'inline', cell: { ...base, executor: 'inline', size: 1, inFlight: 1 } },
        ...threads.map((size) => ({
          label: plural(size, 'thread'),
          cell: { ...base, executor: 'threads', size, inFlight: callsPerThread * size } as const,
        })),
      ]
    }),
  baselineOf: ({ cell }, rows) =>
    rows.find((row) => row.cell.executor === 'inline' && row.cell.variant === cell.variant),
  conclude: (rows) => ({
    sentence: templates.map(({ label, task }) => sentenceFor(label, rowsOf(task, rows))).join(' '),
    remarks: [
      'The loop delay is what every other request of the same process waits while pages are rendered: a thread keeps it low even where it makes nothing faster.',
    ],
    tables: templates.map(({ label, task }) => ({
      title: `Template with ${label}`,
      columns: ['executor', 'pages/s', 'times inline', '95 % interval', 'verdict', 'loop delay p99, ms'],
      rows: rowsOf(task, rows).map(tableRow),
    })),
    heatMaps: [],
  }),
}

function rowsOf(task: string, rows: readonly MeasuredRow[]): readonly MeasuredRow[] {
  return rows.filter(({ cell }) => cell.variant === task)
}

function tableRow({ label, measured, failed }: MeasuredRow): (string | number | null)[] {
  if (!measured || failed !== undefined) return [label, null, null, failed ?? 'not measured', null, null]
  const { throughput, ratio, verdict, loopDelay, executor } = measured
  const isInline = executor === 'inline'
  return [
    label,
    Math.round(throughput.median),
    Number(ratio.value.toFixed(2)),
    isInline ? '' : `${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}`,
    isInline ? '' : verdict.replace('-', ' '),
    loopDelay.p99 === null ? null : Number(loopDelay.p99.toFixed(1)),
  ]
}

function sentenceFor(label: string, rows: readonly MeasuredRow[]): string {
  const name = `The template with ${label}`
  const best = judgeWorth(rows)
  if (!best) return `${name} could not be measured.`
  const figure = `${plural(best.size, 'thread')} ${figureOf(best, 'throughput of inline')}`
  if (best.answer === 'cannot tell') return `${name}: cannot tell, ${figure}; ${AGAIN}.`
  return `${name} is ${best.answer} a thread: ${figure}.`
}
