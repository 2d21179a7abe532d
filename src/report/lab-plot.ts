// The picture of a lab experiment: each row against the row that it is compared with, as in a forest plot.

import type { LabCell } from '../lab/lab-result.js'
import { forestAxis, forestRow, forestScale } from './forest-plot.js'
import { markup, type Markup } from './markup.js'
import { figure } from './page.js'

/** One plot for each baseline, all with one scale; none where nothing is compared. */
export function labPlots(cells: readonly LabCell[]): Markup[] {
  const compared = cells.filter(({ baseline }, index) => cells[baseline] && baseline !== index)
  const scale = forestScale([...cells])
  return [...new Set(compared.map(({ baseline }) => baseline))].map((at) => {
    const { label: name, cpus } = cells[at]!
    const rows = cells.flatMap((cell, index) => {
      const row = {
        cell,
        name: cell.label,
        isBaseline: index === at,
        against: 'the baseline',
        advised: false,
      }
      return cell.baseline === at ? forestRow(row, scale) : []
    })
    const title = `Throughput against "${name}" at a limit of ${cpus}`
    const caption = `Each mark is the throughput of one row divided by that of "${name}", and the line through it is the 95 % interval: right of the shaded band (differences that do not count here) is faster, left of it is slower, and a line that crosses its edge cannot tell.`
    const plot = markup`<div class="forest"><ul>${rows}</ul>${forestAxis(scale, 'times the baseline')}</div>`
    return figure(title, caption, plot)
  })
}
