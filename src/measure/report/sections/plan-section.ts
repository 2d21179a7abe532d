// The answer of a plan, its table, and what was measured for it.

import type { LabTable } from '../../results/lab-result.js'
import type { PlanResult } from '../../results/plan-result.js'
import {
  calibrationTexts,
  planCheckText,
  loadText,
  planCells,
  planHeadings,
  shapeText,
} from '../figures/plan-figures.js'
import { markup, type Markup } from '../markup/markup.js'
import { labTable } from './html-table.js'

export function planAnswer(result: PlanResult): Markup {
  const { advice, disturbed, complete } = result
  const warning =
    disturbed === null
      ? null
      : markup`<p class="notice">The machine was disturbed, so nothing below can be relied on.</p>`
  const ended = complete
    ? null
    : markup`<p class="notice">It was interrupted before everything was checked.</p>`
  return markup`<section class="answer"><h1>${loadText(result)}</h1><p class="sentence lead">${advice.sentence}</p>${warning}${ended}</section>\n`
}

export function planTable(result: PlanResult): Markup | null {
  const { configurations } = result
  if (configurations.length === 0) return null
  const table: LabTable = {
    title: 'Configurations, the cheapest that holds first',
    columns: planHeadings(result),
    rows: configurations.map(planCells),
  }
  const reasons = configurations.map((row) => `${shapeText(row)}: ${row.reason}.`)
  return markup`${labTable(table)}${list(reasons)}`
}

export function planMeasured(result: PlanResult): Markup | null {
  return list(calibrationTexts(result))
}

export function planChecks({ checks }: PlanResult): Markup | null {
  return checks === null ? null : list(checks.map(planCheckText))
}

export function planNotes({ notes }: PlanResult): Markup | null {
  return list(notes)
}

function list(texts: readonly string[]): Markup | null {
  return texts.length === 0
    ? null
    : markup`<ul class="plain">${texts.map((text) => markup`<li>${text}</li>`)}</ul>`
}
