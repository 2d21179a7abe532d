// A table for the terminal that leaves out its least important columns when the window is narrow.

import type { Brush } from './paint.js'
import { hangingText, pad, shorten, textWidth } from './plain-text.js'

export interface TextColumn {
  /** Two lines of heading; the first may be empty. */
  head: [string, string]
  align: 'left' | 'right'
  /** Columns with the highest number are left out first; 0 always stays. */
  rank: number
}

export interface TextCell {
  text: string
  brush?: Brush | undefined
}

export interface TextRow {
  cells: TextCell[]
  /** Printed in place of all cells but the first, wrapped. */
  note?: TextCell | undefined
}

export interface TableLayout {
  columns: (TextColumn & { index: number; width: number })[]
  width: number
}

const gap = 2

/** Column widths for all rows at once, so that several groups of rows line up. A column without any text is left out. */
export function layoutTable(columns: TextColumn[], rows: TextRow[], width: number): TableLayout {
  const sized = columns.map((column, index) => {
    const texts = rows.map((row) => (row.note && index > 0 ? '' : (row.cells[index]?.text ?? '')))
    const used = column.rank === 0 || texts.some((text) => text !== '' && text !== '-')
    return { ...column, index, used, width: Math.max(...[...column.head, ...texts].map(textWidth)) }
  })
  let kept = sized.filter(({ used }) => used)
  while (total(kept) > width && kept.some(({ rank }) => rank > 0)) {
    const last = Math.max(...kept.map(({ rank }) => rank))
    kept = kept.filter(({ rank }) => rank !== last)
  }
  const first = kept[0]
  if (first && total(kept) > width) first.width = Math.max(4, first.width - (total(kept) - width))
  return { columns: kept, width }
}

export function tableHead({ columns }: TableLayout): string[] {
  return [0, 1].map((line) =>
    columns
      .map(({ head, width, align }) => pad(head[line as 0 | 1], width, align))
      .join(' '.repeat(gap))
      .trimEnd(),
  )
}

export function tableRow({ columns, width }: TableLayout, row: TextRow): string[] {
  const place = ({ index, align, width: room }: TableLayout['columns'][number]): string => {
    const cell = row.cells[index] ?? { text: '' }
    const text = shorten(cell.text, room)
    return pad(text, room, align).replace(text, () => (cell.brush ?? String)(text))
  }
  if (!row.note) return [columns.map(place).join(' '.repeat(gap)).trimEnd()]
  const lead = columns[0] ? pad(place(columns[0]), columns[0].width + gap, 'left') : ''
  return hangingText(lead, row.note.text, width).map((line, index) => {
    const start = index === 0 ? lead.length : textWidth(lead)
    return line.slice(0, start) + (row.note?.brush ?? String)(line.slice(start))
  })
}

export interface AlignOptions {
  /** Where all columns are not that narrow together, those of the highest rank are left out. Default: any width. */
  width?: number
  /** Of each column; default 0: it stays. */
  ranks?: readonly number[]
}

/** Rows of plain text, the first of which may be the heading: each column is as wide as its longest cell. */
export function alignColumns(
  rows: readonly (readonly string[])[],
  { width = Infinity, ranks = [] }: AlignOptions = {},
): string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const columns = Array.from({ length: count }, (_, index): TextColumn => ({
    head: ['', ''],
    align: 'left',
    rank: ranks[index] ?? 0,
  }))
  const cells = rows.map((row): TextRow => ({ cells: row.map((text) => ({ text })) }))
  const layout = layoutTable(columns, cells, width)
  return cells.flatMap((row) => tableRow(layout, row))
}

function total(columns: { width: number }[]): number {
  return columns.reduce((sum, { width }) => sum + width + gap, -gap)
}
