// A result as one HTML file that needs nothing else: no network, no script, no font.

import type { CompareResult } from '../results/compare-result.js'
import type { DoctorResult } from '../results/doctor-result.js'
import type { LabResult } from '../results/lab-result.js'
import type { PlanResult } from '../results/plan-result.js'
import type { MeasureResult } from '../results/result.js'
import type { ServerResult } from '../results/server-result.js'
import { groupCells, hasVariants, workloadTitle } from './figures/cell-groups.js'
import { serverTables } from './figures/server-figures.js'
import { compareAnswer, compareIntervals, compareTable } from './sections/compare-section.js'
import { doctorAnswer, doctorTables, longestTurns, trialSection } from './sections/doctor-section.js'
import { flameGraph, loopTimeline } from './plots/doctor-plots.js'
import { cellTable } from './sections/cell-table.js'
import { forestPlots, labPlots } from './plots/forest-plot.js'
import { ganttCharts } from './plots/gantt-chart.js'
import { heatMapFigure } from './plots/heat-map.js'
import { labTable } from './sections/html-table.js'
import { markup } from './markup/markup.js'
import { matrices } from './plots/matrix.js'
import { memoryBars } from './plots/memory-bars.js'
import { noisePanel } from './sections/noise-panel.js'
import { renderPage, section } from './markup/page.js'
import { planPlot } from './plots/plan-plot.js'
import { planAnswer, planChecks, planMeasured, planNotes, planTable } from './sections/plan-section.js'
import { predictionPlots } from './plots/prediction-plot.js'
import {
  footerLine,
  machineSection,
  rawJson,
  repeatSection,
  serverSettingFacts,
  settingFacts,
  skippedList,
} from './sections/run-facts.js'
import { scatterPlots } from './plots/scatter.js'
import { serverForests, serverLatencyPlots } from './plots/server-plots.js'
import { serverVerdictSection, verdictAgain, verdictSection } from './sections/verdict-section.js'

/**
 * The report on a measurement. Everything that came from the user is escaped.
 *
 * @example
 * await writeFile('report.html', renderHtml(result))
 */
export function renderHtml(result: MeasureResult): string {
  const { workload, machine, noise, settings } = result
  const groups = groupCells(result)
  const named = groups.flatMap((group) => group.cells.map((cell) => ({ cell, name: group.variant })))
  const body = [
    verdictSection(result),
    section('Faster or slower than inline', forestPlots(result)),
    section('Under each CPU limit', matrices(result)),
    section('Throughput and a free event loop', scatterPlots(result)),
    section('Memory', memoryBars(result)),
    section('Predicted for other CPU counts', predictionPlots(result)),
    section('Not measured', skippedList(result.skipped)),
    section('Was the machine quiet?', noisePanel(noise)),
    section('All figures', cellTable(named, hasVariants(workload))),
    section('Machine and settings', [
      machineSection(machine, result.date),
      settingFacts(result),
      rawJson(result),
    ]),
    section('Repeat this run', repeatSection(settings.command)),
    section('What to run, once more', verdictAgain(result.advice)),
  ]
  const title = workloadTitle(workload)
  return renderPage({
    title: `${title} – threadwise`,
    eyebrow: markup`threadwise measure <b>${title}</b>`,
    body,
    footer: footerLine(machine, result.date),
  })
}

/** The report on a lab experiment, in the same manner as {@link renderHtml}. */
export function renderLabHtml(result: LabResult): string {
  const { machine, noise, date } = result
  const ended = result.complete
    ? null
    : markup`<p class="notice">The experiment ended early. The figures below are what there was until then.</p>`
  const remarks = result.remarks.map((remark) => markup`<li>${remark}</li>`)
  const named = result.cells.map((cell) => ({ cell, name: cell.label }))
  const body = [
    markup`<section class="answer"><h1>${result.question}</h1><p class="sentence lead">${result.sentence}</p>${remarks.length > 0 ? markup`<ul class="reasons">${remarks}</ul>` : null}${ended}</section>\n`,
    section('Faster or slower', labPlots(result.cells)),
    ...(result.servers ?? []).map(({ title, result: server }) =>
      section(title, [serverForests(server), serverLatencyPlots(server)]),
    ),
    section('Who did what, and when', ganttCharts(result.timelines ?? [])),
    section('Maps', result.heatMaps.map(heatMapFigure)),
    section('Tables', result.tables.map(labTable)),
    section('Was the machine quiet?', noisePanel(noise)),
    section('All figures', cellTable(named, true)),
    section('Machine', [machineSection(machine, date), rawJson(result)]),
    section('Repeat this experiment', repeatSection(result.command)),
  ]
  return renderPage({
    title: `${result.lab} – threadwise lab`,
    eyebrow: markup`threadwise lab <b>${result.lab}</b>`,
    body,
    footer: footerLine(machine, date),
  })
}

/** The report on the measurement of a server, in the same manner as {@link renderHtml}. */
export function renderServerHtml(result: ServerResult): string {
  const { machine, noise, settings, server } = result
  const body = [
    serverVerdictSection(result),
    section('More or fewer requests than one process', serverForests(result)),
    section('How long answers take at equal rates', serverLatencyPlots(result)),
    section('Figures', serverTables(result).map(labTable)),
    section('Not measured', skippedList(result.skipped)),
    section('Was the machine quiet?', noisePanel(noise)),
    section('Machine and settings', [
      machineSection(machine, result.date),
      serverSettingFacts(result),
      rawJson(result),
    ]),
    section('Repeat this run', repeatSection(settings.command)),
    section('What to run, once more', verdictAgain(result.advice)),
  ]
  const title = server.file.split(/[\\/]/).at(-1) ?? server.file
  return renderPage({
    title: `${title} – threadwise`,
    eyebrow: markup`threadwise measure --server <b>${title}</b>`,
    body,
    footer: footerLine(machine, result.date),
  })
}

/** The report on a diagnosis, in the same manner as {@link renderHtml}. */
export function renderDoctorHtml(result: DoctorResult): string {
  const { command, trace, date, node, files } = result
  const body = [
    doctorAnswer(result),
    section('Tried on your app', result.trial && trialSection(result.trial)),
    section('Your functions', doctorTables(result)),
    section('The event loop over time', trace && loopTimeline(trace)),
    section('The longest turns', trace && longestTurns(trace)),
    section('Flame graph', trace?.flame && flameGraph(trace.flame)),
    section(
      'Written',
      files.length === 0
        ? null
        : markup`<ul class="plain">${files.map((file) => markup`<li><code>${file}</code></li>`)}</ul>`,
    ),
    section('All figures', rawJson(result)),
  ]
  const title = command.map((word) => word.split(/[\\/]/).at(-1)).join(' ')
  return renderPage({
    title: `${title} – threadwise doctor`,
    eyebrow: markup`threadwise doctor <b>${title}</b>`,
    body,
    footer: markup`<p>Diagnosed by threadwise on ${date.slice(0, 10)}, with Node.js ${node}.</p>`,
  })
}

/** The report on a comparison of versions, in the same manner as {@link renderHtml}. */
export function renderCompareHtml(result: CompareResult): string {
  const { machine, noise, settings, versions, warmUps } = result
  const longer =
    warmUps.length === 0
      ? null
      : markup`<ul class="plain">${warmUps.map((text) => markup`<li>${text}</li>`)}</ul>`
  const body = [
    compareAnswer(result),
    section('New over old', compareIntervals(result)),
    section('Figures', compareTable(result)),
    section('Longer warm-ups', longer),
    section('Was the machine quiet?', noisePanel(noise)),
    section('Machine', [machineSection(machine, result.date), rawJson(result)]),
    section('Repeat this run', repeatSection(settings.command)),
  ]
  const title = versions.map(({ name }) => name).join(' and ')
  return renderPage({
    title: `${title} – threadwise`,
    eyebrow: markup`threadwise compare <b>${title}</b>`,
    body,
    footer: footerLine(machine, result.date),
  })
}

/** The report on a plan, in the same manner as {@link renderHtml}. */
export function renderPlanHtml(result: PlanResult): string {
  const { file, date, node, machine, command } = result
  const body = [
    planAnswer(result),
    section('Cost against p99', planPlot(result)),
    section('Configurations', planTable(result)),
    section('Checked on this machine', planChecks(result)),
    section('What a request costs', planMeasured(result)),
    section('Notes', planNotes(result)),
    section('All figures', rawJson(result)),
    section('Repeat this plan', command === null ? null : repeatSection(command)),
  ]
  const title = file.split(/[\\/]/).at(-1) ?? file
  return renderPage({
    title: `${title} – threadwise plan`,
    eyebrow: markup`threadwise plan <b>${title}</b>`,
    body,
    footer: markup`<p>Planned by threadwise on ${date.slice(0, 10)}, with Node.js ${node} on ${machine.cpus} CPUs (${machine.model}).</p>`,
  })
}
