// A table of text and numbers, in a box of its own.

import type { LabTable } from '../../results/lab-result.js'
import { formatPlain } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { scrollBox } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

export function labTable({ title, columns, rows }: LabTable): Markup {
  const numeric = columns.map((_, index) => rows.some((row) => typeof row[index] === 'number'))
  const side = (index: number): string => (numeric[index] ? 'num' : 'text')
  const head = columns.map((name, index) => markup`<th scope="col" class="${side(index)}">${name}</th>`)
  const body = rows.map((row) => {
    const fields = columns.map((_, index) => {
      const value = row[index]
      return markup`<td class="${side(index)}">${typeof value === 'string' ? value : typeset(formatPlain(value))}</td>`
    })
    return markup`<tr>${fields}</tr>\n`
  })
  const table = markup`<table class="data"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table>`
  return markup`<h3>${title}</h3>${scrollBox(title, table)}`
}
