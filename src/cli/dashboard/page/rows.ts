// A table whose rows stay the same elements while their figures change: focus, selection and the place of a screen reader are kept.

import { element, setAttribute, setText } from './elements.js'

export interface Column<Row> {
  readonly head: string
  /** What the head means, where that is not clear. */
  readonly title?: string
  readonly isNumber?: boolean
  /** Makes what is in the cell, once; `update` is called for each new value. Without it the text is all that is there. */
  readonly make?: (key: string) => { readonly node: Node; readonly update: (row: Row) => void }
  readonly text?: (row: Row) => string
  /** A class of the cell. */
  readonly tone?: (row: Row) => string | null
}

export interface Rows<Row> {
  readonly root: HTMLTableElement
  show(rows: readonly Row[]): void
}

interface Shown<Row> {
  readonly line: HTMLTableRowElement
  readonly update: (row: Row) => void
}

export function createRows<Row>(
  caption: string,
  columns: readonly Column<Row>[],
  keyOf: (row: Row) => string,
  stateOf: (row: Row) => string | null = () => null,
): Rows<Row> {
  const body = element('tbody')
  const heads = columns.map(({ head, title = null, isNumber = false }) =>
    element('th', { scope: 'col', title, class: isNumber ? 'num' : null }, head),
  )
  const root = element(
    'table',
    {},
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, ...heads)),
    body,
  )
  const shown = new Map<string, Shown<Row>>()
  return {
    root,
    show(rows) {
      const keys = new Set(rows.map(keyOf))
      for (const [key, { line }] of shown) {
        if (keys.has(key)) continue
        line.remove()
        shown.delete(key)
      }
      rows.forEach((row, index) => {
        const key = keyOf(row)
        const one = shown.get(key) ?? makeRow(columns, key)
        shown.set(key, one)
        one.update(row)
        setAttribute(one.line, 'data-state', stateOf(row))
        if (body.children[index] !== one.line) body.insertBefore(one.line, body.children[index] ?? null)
      })
    },
  }
}

function makeRow<Row>(columns: readonly Column<Row>[], key: string): Shown<Row> {
  const updates: ((row: Row) => void)[] = []
  const cells = columns.map(({ head, isNumber = false, make, text, tone }, index) => {
    const cell = element(index === 0 ? 'th' : 'td', {
      'data-head': head,
      class: isNumber ? 'num' : null,
      ...(index === 0 && { scope: 'row' }),
    })
    if (make) {
      const { node, update } = make(key)
      cell.append(node)
      updates.push(update)
    }
    if (text) updates.push((row) => setText(cell, text(row)))
    if (tone) updates.push((row) => setAttribute(cell, 'data-tone', tone(row)))
    return cell
  })
  return { line: element('tr', {}, ...cells), update: (row) => updates.forEach((update) => update(row)) }
}
