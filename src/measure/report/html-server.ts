// The report on a measured server as one HTML file, in the manner of html.ts.

import type { ServerAdvice, ServerResult } from '../results/server-result.js'
import { describeEvidence } from './figures/describe-run.js'
import { formatCpus, formatPercent } from './figures/format-number.js'
import { labTable } from './sections/html-table.js'
import { markup, type Markup } from './markup/markup.js'
import { noisePanel } from './sections/noise-panel.js'
import { factList, renderPage, section } from './markup/page.js'
import { footerLine, machineFacts, rawJson, repeatCommand, skippedList } from './sections/run-facts.js'
import { serverForests, serverLatencyPlots } from './plots/server-plots.js'
import { serverTables } from './figures/server-figures.js'
import { typeset } from './markup/typeset.js'
import { badge } from './markup/verdict-badge.js'
import { verdictWord } from './figures/cell-groups.js'

/**
 * The report on the measurement of a server. Everything that came from the user is escaped.
 *
 * @example
 * await writeFile('report.html', renderServerHtml(result))
 */
export function renderServerHtml(result: ServerResult): string {
  const { machine, noise, settings, server } = result
  const body = [
    answer(result),
    section('More or fewer requests than one process', serverForests(result)),
    section('How long answers take at equal rates', serverLatencyPlots(result)),
    section('Figures', serverTables(result).map(labTable)),
    section('Not measured', skippedList(result.skipped)),
    section('Was the machine quiet?', noisePanel(noise)),
    section('Machine and settings', [machineFacts(machine, result.date), settingFacts(result), rawJson(result)]), // prettier-ignore
    section('Repeat this run', repeatCommand(settings.command)),
  ]
  const title = server.file.split(/[\\/]/).at(-1) ?? server.file
  return renderPage({
    title: `${title} – threadwise`,
    eyebrow: markup`threadwise measure --server <b>${title}</b>`,
    body,
    footer: footerLine(machine, result.date),
  })
}

function answer({ advice, complete }: ServerResult): Markup {
  const ended = complete
    ? null
    : markup`<p class="notice">The run ended before everything was measured. The figures below are what there was until then.</p>`
  const none = markup`<p class="sentence">No verdict: there is nothing to compare.</p>`
  const list = markup`<ol class="verdicts">${advice.map(adviceItem)}</ol>`
  return markup`<section class="answer"><h1>What to run</h1>${advice.length === 0 ? none : list}${ended}</section>\n`
}

function adviceItem({ cpus, sentence, way, instances, verdict, reasons }: ServerAdvice): Markup {
  const pick = way === 'single' ? 'one process' : `${instances} instances`
  const word = verdictWord(verdict)
  const mark = badge(verdict, way === 'single' ? `best other: ${word}` : word)
  const items = reasons.map((reason) => {
    const evidence = describeEvidence(reason)
    return markup`<li class="${reason.level}">${reason.sentence}${evidence ? markup` <span class="evidence">${evidence}</span>` : null}</li>`
  })
  const why = items.length === 0 ? null : markup`<ul class="reasons">${items}</ul>`
  return markup`<li><p class="limit">${typeset(formatCpus(cpus))}</p><div><p class="sentence">${sentence}</p><p class="choice"><span class="pick">${pick}</span> ${mark}</p>${why}</div></li>\n`
}

function settingFacts({ settings, server }: ServerResult): Markup {
  const { precision, quick, connections, worth, budgetSeconds, seed } = settings
  return factList([
    ['server', server.file],
    ['path', server.path],
    ['path that works on threads', server.offloadPath],
    ['connections', connections],
    ['known well enough within', typeset(formatPercent(100 * precision))],
    ['more than one process is worth it from', `${worth} times the requests`],
    ['time budget', `${budgetSeconds} s${quick ? ' (quick)' : ''}`],
    ['seed', seed],
  ])
}
