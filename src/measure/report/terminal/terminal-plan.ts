// A plan as text for a terminal: the load, the advice, the table, and why each row is where it is.

import type { PlanResult } from '../../results/plan-result.js'
import { calibrationTexts, planCheckText, costName, loadText, planCells } from '../figures/plan-figures.js'
import type { Canvas } from './paint.js'
import { hangingText, wrapText } from './plain-text.js'
import { layoutTable, tableHead, tableRow, type TextColumn, type TextRow } from './text-table.js'

function columnsOf(result: PlanResult): TextColumn[] {
  return [
    { head: ['', 'containers'], align: 'right', rank: 0 },
    { head: ['', 'CPU'], align: 'right', rank: 0 },
    { head: ['', 'inst'], align: 'right', rank: 0 },
    { head: ['', 'threads'], align: 'right', rank: 0 },
    { head: ['', 'use'], align: 'right', rank: 1 },
    { head: ['', 'p99 (80 %)'], align: 'right', rank: 0 },
    { head: ['', 'holds'], align: 'right', rank: 2 },
    { head: ['', 'memory'], align: 'right', rank: 3 },
    { head: ['', costName(result)], align: 'right', rank: 0 },
  ]
}

export function formatPlanResult(result: PlanResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const { advice, checks, notes, disturbed, command } = result
  const isTold = advice.configuration !== null
  return [
    [
      ...wrapText(loadText(result), width),
      ...wrapText(advice.sentence, width).map(isTold ? paint.strong : paint.warning),
    ],
    ...(result.complete ? [] : [wrapText('It was interrupted before everything was checked.', width)]),
    calibrationTexts(result).flatMap((text) => hangingText('  ', text, width)),
    disturbed === null
      ? []
      : wrapText('The machine was disturbed, so nothing below can be relied on:', width).map(paint.warning),
    table(result, canvas),
    checks === null
      ? []
      : [
          paint.strong('Checked here'),
          ...checks.flatMap((check) => hangingText('  ', planCheckText(check), width)),
        ],
    notes.flatMap((note) => hangingText('  ', note, width)),
    command === null ? [] : ['Repeat this plan:', `  ${command}`],
  ]
}

function table(result: PlanResult, { paint, width }: Canvas): string[] {
  const { configurations, advice } = result
  if (configurations.length === 0) return []
  const rows = configurations.map((row, index): TextRow => {
    const isFirst = index === 0 && advice.configuration !== null
    return { cells: planCells(row).map((text) => ({ text, ...(isFirst && { brush: paint.strong }) })) }
  })
  const layout = layoutTable(columnsOf(result), rows, width)
  const lines = rows.flatMap((row, index) => [
    ...tableRow(layout, row),
    ...hangingText('            ', configurations[index]!.reason, width).map(paint.faint),
  ])
  return [...tableHead(layout).slice(1), ...lines]
}
