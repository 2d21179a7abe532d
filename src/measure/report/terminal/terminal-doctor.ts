// A diagnosis as text for a terminal: how busy the loop is, the functions of the user, what can move, what to do.

import type { DoctorFunction, DoctorResult, DoctorTrial } from '../../results/doctor-result.js'
import { describeCost } from '../figures/describe-cost.js'
import { formatMs, formatPlain, formatRate } from '../figures/format-number.js'
import { conditionTexts, packageText, verdictText } from '../figures/describe-function.js'
import { noteTexts, refusedTexts, TRIAL_COLUMNS, trialRows } from '../figures/trial-figures.js'
import { untold } from '../figures/untold.js'
import type { Canvas } from './paint.js'
import { hangingText, wrapText } from './plain-text.js'
import { layoutTable, tableHead, tableRow, type TextColumn, type TextRow } from './text-table.js'

const columns: TextColumn[] = [
  { head: ['', 'busy with'], align: 'left', rank: 0 },
  { head: ['', 'share'], align: 'right', rank: 0 },
  { head: ['with what', 'it calls'], align: 'right', rank: 3 },
  { head: ['', 'a call'], align: 'right', rank: 1 },
  { head: ['', 'calls'], align: 'right', rank: 2 },
  { head: ['', 'can it move?'], align: 'left', rank: 1 },
]

export function formatDoctorResult(result: DoctorResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const lines = (text: string, brush = (line: string) => line) => wrapText(text, width).map(brush)
  const { problem, steps, files, cost } = result
  return [
    [
      ...lines(whatWasDone(result)),
      ...lines(result.sentence, problem === null || problem === 'idle' ? paint.strong : paint.failure),
    ],
    functionTable(result, canvas),
    result.functions.flatMap((row) => reasonLines(row, canvas)),
    result.packages.flatMap((each) => hangingText('  ', packageText(each), width)),
    result.trial?.before ? [] : predictionLines(result, canvas), // it was measured
    result.trial ? trialLines(result.trial, canvas) : [],
    cost === null ? [] : lines(describeCost(cost)),
    steps.length === 0
      ? []
      : [paint.strong('What to do'), ...steps.flatMap((step, index) => stepLines(step, index, width))],
    files.length === 0 ? [] : ['Written:', ...files.map((file) => `  ${file}`)],
  ]
}

const trialColumns: TextColumn[] = TRIAL_COLUMNS.map((head, index) => ({
  head: ['', head],
  align: index === 0 || index === 4 ? 'left' : 'right',
  rank: index === 3 ? 1 : 0,
}))

function trialLines(trial: DoctorTrial, { paint, width }: Canvas): string[] {
  const rows = trialRows(trial).map((cells): TextRow => ({ cells: cells.map((text) => ({ text })) }))
  const layout = layoutTable(trialColumns, rows, width)
  return [
    paint.strong('Tried on your app'),
    ...wrapText(trial.sentence, width).map(trial.patch === null ? (line) => line : paint.strong),
    ...(rows.length === 0 ? [] : [...tableHead(layout), ...rows.flatMap((row) => tableRow(layout, row))]),
    ...noteTexts(trial).flatMap((text) => hangingText('  look at ', text, width)),
    ...refusedTexts(trial).flatMap((text) => hangingText('  not moved: ', text, width)),
  ]
}

function whatWasDone({ command, load, node }: DoctorResult): string {
  const app = command.map((word) => (word.includes('/') ? word.split('/').at(-1) : word)).join(' ')
  if (load === null) return [app, `Node.js ${node}.`].filter((part) => part !== '').join(', ')
  const whose = load.isOwn ? ` (${load.paths.join(', ')})` : ' of yours'
  const perSecond = formatPlain(load.perSecond)
  return `${app}, ${perSecond} request${perSecond === '1' ? '' : 's'}/s${whose}, Node.js ${node}.`
}

function functionTable({ functions, shares, kind }: DoctorResult, { paint, width }: Canvas): string[] {
  if (functions.length === 0 && shares === null) return []
  const rows = functions.map((row): TextRow => ({
    cells: [
      row.name,
      percent(row.share),
      percent(row.inclusiveShare),
      row.callMs === null ? '' : formatMs(row.callMs),
      row.callsPerSecond === null ? '' : formatRate(row.callsPerSecond),
      verdictText(row),
    ].map((text) => ({ text })),
  }))
  const others: [string, number][] = [
    ['packages, Node.js', shares?.packages ?? 0],
    ['garbage collection', shares?.collection ?? 0],
    [kind === 'script' ? 'start, native code' : 'native code', shares?.native ?? 0],
  ]
  for (const [name, share] of others)
    if (share >= 0.01)
      rows.push({
        cells: [name, percent(share), '', '', '', 'not yours'].map((text) => ({ text, brush: paint.faint })),
      })
  const layout = layoutTable(columns, rows, width)
  return [...tableHead(layout), ...rows.flatMap((row) => tableRow(layout, row))]
}

function reasonLines(
  { name, file, line, reasons, conditions }: DoctorFunction,
  { width, paint }: Canvas,
): string[] {
  const place = `  ${name} ${paint.faint(`(${file}:${line})`)}`
  return [
    place,
    ...reasons.flatMap((reason) => hangingText('    ', reason.replace(/^cannot tell: /, ''), width)),
    ...conditionTexts(conditions).flatMap((text) => hangingText('    if ', text, width)),
  ]
}

/** A command stands on a line of its own, to be copied. */
function stepLines(step: string, index: number, width: number): string[] {
  const [what, command] = step.split(/: (?=(?:npx|npm|git) )/) as [string, string?]
  const lines = hangingText(`  ${index + 1}. `, what, width)
  return command === undefined ? lines : [...lines, `     ${command}`]
}

/** What cannot be told for the same reason is said once. */
function predictionLines({ predictions }: DoctorResult, { width, paint }: Canvas): string[] {
  if (predictions.length === 0) return []
  const told = predictions.flatMap(({ task, busyNow, busyThen }) =>
    busyThen === null
      ? []
      : [
          `${task}: the event loop is busy ${percent(busyNow)} of the time, then ${percent(busyThen.low)} to ${percent(busyThen.high)}`,
        ],
  )
  const others = untold(predictions).map(({ tasks, reason }) => `${tasks.join(', ')}: cannot tell, ${reason}`)
  return [
    paint.strong('If it moves'),
    ...[...told, ...others].flatMap((line) => hangingText('  ', line, width)),
  ]
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
