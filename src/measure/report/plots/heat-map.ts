// A heat map as a table: the figure stands in each field, predicted fields are paler and marked.

import type { HeatMap } from '../../results/lab-result.js'
import { finite, formatPlain } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, scrollBox } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'

/** Shades of one colour; the strongest still lets the figure on it be read. */
const levels = 8

export function heatMapFigure(heatMap: HeatMap): Markup {
  const { title, unit, rowTitle, columnTitle, values, predicted } = heatMap
  const known = values.flat().flatMap((value) => finite(value) ?? [])
  const range = { low: Math.min(...known), high: Math.max(...known) }
  const head = heatMap.columns.map((name) => markup`<th scope="col">${name}</th>`)
  const rows = heatMap.rows.map((name, row) => {
    const fields = heatMap.columns.map((_, column) => {
      const value = finite(values[row]?.[column])
      return heatField(value, predicted[row]?.[column] === true, range)
    })
    return markup`<tr><th scope="row">${name}</th>${fields}</tr>\n`
  })
  const marked = predicted.flat().some(Boolean)
    ? markup` <span class="sample predicted">~ predicted</span> was computed, not measured.`
    : null
  const caption = markup`${rowTitle} down, ${columnTitle} across; the stronger the colour, the larger the figure${unit ? ` (${unit})` : ''}.${marked}`
  const table = markup`<table class="matrix heat"><thead><tr><td class="corner">${rowTitle} \\ ${columnTitle}</td>${head}</tr></thead><tbody>${rows}</tbody></table>`
  return markup`<h3>${title}</h3>${figure(title, caption, scrollBox(title, table))}`
}

function heatField(
  value: number | null,
  predicted: boolean,
  { low, high }: { low: number; high: number },
): Markup {
  if (value === null) return markup`<td class="none">–</td>`
  const level = high > low ? Math.round(((value - low) / (high - low)) * levels) : 0
  const text = typeset(formatPlain(value))
  return predicted
    ? markup`<td class="h${level} predicted" title="predicted">~ ${text}</td>`
    : markup`<td class="h${level}">${text}</td>`
}
