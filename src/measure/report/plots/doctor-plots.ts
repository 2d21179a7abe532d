// What a diagnosis shows over time, and the flame graph: bars and boxes, without a script.

import type { DoctorTrace, FlameNode } from '../../results/doctor-result.js'
import { formatPlain } from '../figures/format-number.js'
import { markup, type Markup } from '../markup/markup.js'
import { figure, scrollBox } from '../markup/page.js'
import { typeset } from '../markup/typeset.js'
import { round } from './axis-scale.js'
import { fluidPlot, placeDown } from './fluid-plot.js'

const TIMELINE_HEIGHT = 120
const ROW_HEIGHT = 20
/** A narrower box has no room for a name, in percent of the width. */
const MIN_NAMED = 4

export function loopTimeline({ sliceMs, busy }: DoctorTrace): Markup | null {
  if (busy.length === 0) return null
  const seconds = (busy.length * sliceMs) / 1000
  const width = 100 / busy.length
  const bars = busy.map((share, at) => {
    const y = placeDown(100 * share, TIMELINE_HEIGHT)
    return markup`<rect class="busy" x="${round(at * width)}%" width="${round(width)}%" y="${y}" height="${round(TIMELINE_HEIGHT - y)}"><title>${formatPlain((at * sliceMs) / 1000)} s: ${percent(share)}</title></rect>`
  })
  const plot = fluidPlot(
    {
      height: TIMELINE_HEIGHT,
      xTicks: [0, 0.25, 0.5, 0.75, 1].map((part) => ({
        at: 100 * part,
        value: part * seconds,
        label: formatPlain(round(part * seconds)),
      })),
      yTicks: [0, 50, 100].map((value) => ({ at: value, value, label: `${value} %` })),
      xTitle: 'seconds of the profile',
      yTitle: 'busy',
    },
    bars,
  )
  return figure(
    'The event loop over time',
    `Share of each ${sliceMs} ms in which the loop did not wait.`,
    plot,
  )
}

/** Callers above what they call. Each box is as wide as its share of the busy time. */
export function flameGraph(root: FlameNode): Markup {
  const boxes: Markup[] = []
  let depth = 0
  const draw = (node: FlameNode, left: number, level: number) => {
    depth = Math.max(depth, level)
    boxes.push(boxOf(node, left, level))
    let x = left
    for (const child of node.children) {
      draw(child, x, level + 1)
      x += 100 * child.share
    }
  }
  draw(root, 0, 0)
  const svg = markup`<svg class="flame" width="100%" height="${(depth + 1) * ROW_HEIGHT}" role="img">${boxes}</svg>`
  const caption =
    'Each box is a function under its caller, as wide as its share of the busy time. Coloured ones are yours. Point at a box for its place.'
  return figure('Flame graph', caption, scrollBox('Flame graph', svg))
}

function boxOf({ name, place, isYours, share }: FlameNode, left: number, level: number): Markup {
  const width = round(100 * share)
  const y = level * ROW_HEIGHT
  const text = 100 * share < MIN_NAMED ? null : markup`<text class="name" x="4" y="14">${name}</text>`
  const title = `${name}, ${percent(share)}${place === '' ? '' : `, ${place}`}`
  return markup`<svg x="${round(left)}%" y="${y}" width="${width}%" height="${ROW_HEIGHT}" class="${isYours ? 'yours' : 'others'}"><title>${title}</title><rect width="100%" height="${ROW_HEIGHT}"/>${text}</svg>`
}

function percent(share: number): string {
  return typeset(`${Math.round(100 * share)} %`)
}
