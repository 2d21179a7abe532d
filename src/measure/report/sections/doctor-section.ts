// The answer of a diagnosis, and its table of functions.

import type { DoctorResult, DoctorTrace, DoctorTrial } from '../../results/doctor-result.js'
import { describeCost } from '../figures/describe-cost.js'
import { conditionTexts, packageText, verdictText } from '../figures/describe-function.js'
import { noteTexts, refusedTexts, TRIAL_COLUMNS, trialRows } from '../figures/trial-figures.js'
import { untold } from '../figures/untold.js'
import { formatMs, formatRate } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { labTable } from './html-table.js'

export function doctorAnswer({ sentence, steps, predictions, cost }: DoctorResult): Markup {
  const items = steps.map((step) => {
    const [what, command] = step.split(/: (?=npx )/)
    return markup`<li>${what}${command && markup`<br><code>${command}</code>`}</li>`
  })
  const gains = predictions.flatMap(({ task, busyNow, busyThen }) =>
    busyThen === null
      ? []
      : [
          markup`<li>${task}: the event loop is busy ${percent(busyNow)} of the time, then ${percent(busyThen.low)} to ${percent(busyThen.high)}.</li>`,
        ],
  )
  for (const { tasks, reason } of untold(predictions))
    gains.push(markup`<li>${tasks.join(', ')}: what it would gain cannot be told, ${reason}.</li>`)
  return markup`<section class="answer"><h1>Which of your functions should move?</h1><p class="sentence lead">${sentence}</p>${cost && markup`<p>${describeCost(cost)}</p>`}${items.length > 0 && markup`<h3>What to do</h3><ol>${items}</ol>`}${gains.length > 0 && markup`<h3>If it moves</h3><ul class="reasons">${gains}</ul>`}</section>\n`
}

export function doctorTables({ functions, packages }: DoctorResult): Markup | null {
  if (functions.length === 0 && packages.length === 0) return null
  const rows = functions.map((row) => [
    row.name,
    verdictText(row),
    percent(row.share),
    percent(row.inclusiveShare),
    row.callMs === null ? '' : formatMs(row.callMs),
    row.callsPerSecond === null ? '' : formatRate(row.callsPerSecond),
  ])
  const columns = ['function', 'can it move?', 'share', 'with what it calls', 'a call', 'calls']
  const reasons = functions.map(
    ({ name, file, line, reasons: found, conditions }) =>
      markup`<li><b>${name}</b> <code>${file}:${line}</code>${found.map((reason) => markup`<br>${reason.replace(/^cannot tell: /, '')}`)}${conditionTexts(conditions).map((text) => markup`<br><b>if</b> ${text}`)}</li>`,
  )
  return markup`${labTable({ title: 'By their share of the busy time', columns, rows })}<h3>Where they are, and why</h3><ul class="plain reasons">${reasons}${packages.map((each) => markup`<li>${packageText(each)}</li>`)}</ul>`
}

/** Before and after side by side, the patch with its lines, and what was refused. */
export function trialSection(trial: DoctorTrial): Markup {
  const rows = trialRows(trial)
  const items = [
    ...noteTexts(trial).map((text) => markup`<li><b>Look at</b> ${text}</li>`),
    ...refusedTexts(trial).map((text) => markup`<li><b>Not moved:</b> ${text}</li>`),
  ]
  return markup`<p class="sentence">${trial.sentence}</p>${rows.length > 0 && labTable({ title: 'Before and after', columns: TRIAL_COLUMNS, rows })}${trial.patch !== null && markup`<h3>The patch</h3><pre><code>${trial.patch}</code></pre>`}${items.length > 0 && markup`<ul class="plain reasons">${items}</ul>`}`
}

export function longestTurns({ turns }: DoctorTrace): Markup | null {
  if (turns.length === 0) return null
  const rows = turns.map(({ ms, parts }) => [
    formatMs(ms),
    parts.map((part) => `${part.name} ${formatMs(part.ms)}`).join(' + '),
  ])
  return labTable({ title: 'Without a pause', columns: ['for', 'made of'], rows })
}

function percent(share: number): string {
  return `${Math.round(100 * share)} %`
}
