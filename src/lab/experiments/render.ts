// lab render: does rendering a template belong on a thread? A long and a short one.

import { MAX_THREADS, labTasks, type Experiment, type MeasuredRow } from '../runner/experiment.js'
import { judgeWorth, worthSentence } from '../runner/judge-worth.js'
import { allCpus, comparisonColumns, comparisonRow, plural } from '../runner/wording.js'

const parameters = {
  threads: {
    flag: '--threads <list>',
    description: 'numbers of threads',
    initial: [1, 2],
    most: MAX_THREADS,
  },
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
    sentence: templates
      .map(({ label, task }) =>
        worthSentence(
          `The template with ${label}`,
          judgeWorth(rowsOf(task, rows)),
          'throughput of inline',
          'a thread',
        ),
      )
      .join(' '),
    remarks: [
      'The loop delay is what every other request of the same process waits while pages are rendered: a thread keeps it low even where it makes nothing faster.',
    ],
    tables: templates.map(({ label, task }) => ({
      title: `Template with ${label}`,
      columns: comparisonColumns('pages/s', 'inline'),
      rows: rowsOf(task, rows).map((row, _, [inline]) => comparisonRow(row, inline)),
    })),
    heatMaps: [],
  }),
}

function rowsOf(task: string, rows: readonly MeasuredRow[]): readonly MeasuredRow[] {
  return rows.filter(({ cell }) => cell.variant === task)
}
