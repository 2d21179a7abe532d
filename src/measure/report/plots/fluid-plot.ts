// A plot frame that is as wide as its place: lengths across are in percent, so that text keeps its size on a phone.

import type { Tick } from './axis-scale.js'
import { markup, type Markup, type MarkupPart } from '../markup/markup.js'

export interface PlotFrame {
  /** Height of the plot area in pixels, without the axis below. */
  height: number
  xTicks: (Tick & { label: string })[]
  yTicks: (Tick & { label: string })[]
  xTitle: string
  yTitle: string
  /** Drawn below the grid. */
  backdrop?: MarkupPart
}

/** Axis titles and ticks around `content`, which is drawn in percent across and pixels down. */
export function fluidPlot(
  { height, xTicks, yTicks, xTitle, yTitle, backdrop }: PlotFrame,
  content: MarkupPart,
): Markup {
  const below = 22
  const down = (at: number): number => placeDown(at, height)
  const rows = yTicks.map(
    ({ at }) => markup`<line class="grid" x1="0" x2="100%" y1="${down(at)}" y2="${down(at)}"/>`,
  )
  const columns = xTicks.map(({ at, label }) => {
    return markup`<line class="grid" x1="${at}%" x2="${at}%" y1="0" y2="${height}"/><text x="${at}%" y="${height + 16}" text-anchor="middle">${label}</text>`
  })
  const labels = yTicks.map(
    ({ at, label }) => markup`<text x="100%" dx="-8" y="${down(at) + 4}" text-anchor="end">${label}</text>`,
  )
  return markup`<div class="plot"><p class="y-title">${yTitle}</p><svg class="y-axis" height="${height + below}" aria-hidden="true">${labels}</svg><svg class="area" height="${height + below}" aria-hidden="true">${backdrop}${rows}${columns}<line class="base" x1="0" x2="100%" y1="${height}" y2="${height}"/>${content}</svg><p class="x-title">${xTitle}</p></div>`
}

/** Percent of the height, counted from below, in pixels from above. */
export function placeDown(percent: number, height: number): number {
  return Math.round((100 - percent) * height) / 100
}
