// A lab result for the terminal: question, answer, remarks, tables and heat maps.

import type { HeatMap, LabResult, LabTable } from '../../results/lab-result.js'
import { dash, formatPlain } from '../figures/format-number.js'
import type { Canvas } from './paint.js'
import { hangingText, oneLine, shorten, textWidth, wrapText } from './plain-text.js'
import { machineLines, repeatLines } from './terminal-notes.js'
import { layoutTable, tableHead, tableRow, type TextColumn, type TextRow } from './text-table.js'

/** The sections in order, each a list of lines. */
export function formatLabResult(result: LabResult, canvas: Canvas): string[][] {
  const { paint, width } = canvas
  const failures = result.cells.filter(({ failed }) => failed !== null)
  const answer = wrapText(result.sentence, width).map(paint.strong)
  const ended = 'The experiment ended early; the figures below are what there was until then.'
  return [
    wrapText(`${result.lab}: ${result.question}`, width).map(paint.faint),
    [...answer, ...(result.complete ? [] : wrapText(ended, width).map(paint.warning))],
    ...result.tables.map((table) => labTable(table, canvas)),
    ...result.heatMaps.map((heatMap) => heatMapTable(heatMap, canvas)),
    result.remarks.flatMap((remark) => hangingText('- ', remark, width)),
    failures
      .flatMap(({ label, failed }) => hangingText('! ', `${label}: failed: ${failed}`, width))
      .map(paint.failure),
    machineLines(result, canvas),
    repeatLines(result.command, canvas),
    answer, // once more: a long report has pushed the first one off the screen
  ]
}

export function labTable({ title, columns, rows }: LabTable, canvas: Canvas): string[] {
  const texts = rows.map((row) =>
    row.map((value) => (typeof value === 'string' ? oneLine(value) : formatPlain(value))),
  )
  const numeric = columns.map((_, index) => rows.some((row) => typeof row[index] === 'number'))
  return [
    ...wrapText(title, canvas.width).map(canvas.paint.strong),
    ...columnBlocks({ columns, texts, numeric }, canvas),
  ]
}

function heatMapTable(heatMap: HeatMap, canvas: Canvas): string[] {
  const { title, unit, rowTitle, columnTitle, values, predicted } = heatMap
  const figure = (row: number, column: number): string => {
    const text = formatPlain(values[row]?.[column])
    return predicted[row]?.[column] && text !== dash ? `~${text}` : text
  }
  const texts = heatMap.rows.map((name, row) => [
    oneLine(name),
    ...heatMap.columns.map((_, column) => figure(row, column)),
  ])
  const columns = [rowTitle, ...heatMap.columns]
  const numeric = columns.map((_, index) => index > 0)
  const legend = `columns: ${columnTitle}${predicted.flat().some(Boolean) ? '; ~ predicted, not measured' : ''}`
  return [
    ...wrapText(unit ? `${title} (${unit})` : title, canvas.width).map(canvas.paint.strong),
    ...columnBlocks({ columns, texts, numeric }, canvas),
    ...hangingText('  ', legend, canvas.width).map(canvas.paint.faint),
  ]
}

interface Grid {
  columns: string[]
  texts: string[][]
  numeric: boolean[]
}

const gap = 2

/** A table too wide for the window goes on below, with its first column repeated. */
function columnBlocks(grid: Grid, { paint, width }: Canvas): string[] {
  const natural = grid.columns.map((name, index) =>
    Math.max(textWidth(name), ...grid.texts.map((row) => textWidth(row[index] ?? dash))),
  )
  const cap = widestColumn(natural, width)
  const sizes = natural.map((size) => Math.min(size, cap))
  return splitColumns(sizes, width).flatMap((shown) => {
    // The only other column of a block may take the rest of the line.
    const room = shown.length > 2 ? cap : Math.max(cap, width - gap - (sizes[0] ?? 0))
    const block = shown.map((index): TextColumn => {
      const name = shorten(oneLine(grid.columns[index] ?? ''), index === 0 ? cap : room)
      return { head: ['', name], align: grid.numeric[index] ? 'right' : 'left', rank: 0 }
    })
    const rows = grid.texts.map((row): TextRow => {
      return {
        cells: shown.map((index) => ({ text: shorten(row[index] ?? dash, index === 0 ? cap : room) })),
      }
    })
    const layout = layoutTable(block, rows, width)
    return [...tableHead(layout).slice(1).map(paint.faint), ...rows.flatMap((row) => tableRow(layout, row))]
  })
}

/** The largest width that lets all columns stand side by side, but never so small that words become unreadable. */
function widestColumn(sizes: number[], width: number): number {
  const readable = Math.floor((width - gap) / 2)
  let cap = Math.max(...sizes)
  while (cap > readable && sizes.reduce((sum, size) => sum + Math.min(size, cap) + gap, -gap) > width) cap--
  return cap
}

/** Column numbers of each block: the first column, then as many others as fit. */
function splitColumns([first = 0, ...others]: number[], width: number): number[][] {
  const blocks: number[][] = [[0]]
  let used = first
  others.forEach((size, index) => {
    if (used + gap + size > width && (blocks.at(-1)?.length ?? 0) > 1) {
      blocks.push([0])
      used = first
    }
    blocks.at(-1)?.push(index + 1)
    used += gap + size
  })
  return blocks
}
