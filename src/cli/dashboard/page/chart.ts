// Lines over the last minutes. Where the mouse is, or where the arrow keys lead, the values of that time are read out.

import { element, setAttribute, setText, svgElement } from './elements.js'
import { timeOf } from './format.js'
import { linePath, niceMost } from './line-path.js'
import type { Past, Span } from './past.js'
import type { FigureName } from '../look/view.js'

const WIDTH = 360
const HEIGHT = 96
const PARTS = 360

export interface ChartOptions {
  readonly title: string
  readonly lines: readonly { readonly figure: FigureName; readonly label: string }[]
  readonly format: (value: number | null) => string
  /** Of the scale: whole numbers of it are round. Default 1. */
  readonly unit?: number
}

/** A line across: a budget, a limit. */
export interface Limit {
  readonly value: number
  readonly label: string
}

export interface Chart {
  readonly root: HTMLElement
  show(past: Past, minutes: number, limit: Limit | null): void
}

export function createChart({ title, lines, format, unit = 1 }: ChartOptions): Chart {
  const paths = lines.map((_, index) => svgElement('path', { class: `line line-${index}` }))
  const across = svgElement('line', { class: 'limit', x1: 0, x2: WIDTH })
  const cursor = svgElement('line', { class: 'cursor', y1: 0, y2: HEIGHT, visibility: 'hidden' })
  const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }
  const svg = svgElement('svg', frame, across, ...paths, cursor)
  const top = element('span', { class: 'top' })
  const plot = element('div', { class: 'plot', role: 'slider', tabindex: 0, 'aria-label': `${title} over time`, 'aria-orientation': 'horizontal' }, svg, top) // prettier-ignore
  const values = lines.map(({ label }, index) => element('span', { class: `value value-${index}` }, label ? `${label} ` : null, element('b'))) // prettier-ignore
  const limitText = element('span', { class: 'limit-text' })
  const when = element('span', { class: 'when' })
  const root = element(
    'figure',
    { class: 'chart' },
    element('figcaption', {}, element('span', { class: 'title' }, title), ...values, limitText, when),
    plot,
  )
  let spans: readonly Span[] = []
  let chosen: number | null = null

  const read = () => {
    const last = (spans[0]?.values.length ?? 1) - 1
    const index = Math.min(chosen ?? last, last)
    values.forEach((value, line) => setText(value.querySelector('b')!, format(spans[line]?.values[index] ?? null))) // prettier-ignore
    const time = spans[0] ? timeOf(spans[0].until - (last - index) * spans[0].stepMs) : ''
    setText(when, chosen === null ? '' : time)
    setAttribute(cursor, 'visibility', chosen === null ? 'hidden' : 'visible')
    const x = String(last > 0 ? (index / last) * WIDTH : 0)
    setAttribute(cursor, 'x1', x)
    setAttribute(cursor, 'x2', x)
    setAttribute(plot, 'aria-valuemin', '0')
    setAttribute(plot, 'aria-valuemax', String(last))
    setAttribute(plot, 'aria-valuenow', String(index))
    setAttribute(plot, 'aria-valuetext', `${time}: ${values.map((value) => value.textContent).join(', ')}`)
  }
  listen(plot, () => spans[0]?.values.length ?? 1, (index) => {
    chosen = typeof index === 'function' ? index(chosen) : index
    read()
  }) // prettier-ignore

  return {
    root,
    show(past, minutes, limit) {
      spans = lines.map(({ figure }) => past.span(figure, minutes, PARTS))
      const highest = Math.max(0, ...spans.flatMap(({ values }) => values.filter((value) => value !== null)))
      const isNear = limit !== null && limit.value <= 5 * highest
      const round = unit * niceMost(highest / unit)
      const most = isNear ? Math.max(round, limit.value * 1.1) : round
      spans.forEach(({ values }, line) => setAttribute(paths[line]!, 'd', linePath(values, { width: WIDTH, height: HEIGHT, most }))) // prettier-ignore
      setAttribute(across, 'visibility', isNear ? 'visible' : 'hidden')
      const y = String(HEIGHT - ((limit?.value ?? 0) / most) * HEIGHT)
      setAttribute(across, 'y1', y)
      setAttribute(across, 'y2', y)
      setText(limitText, limit?.label ?? '')
      setText(top, format(most))
      read()
    },
  }
}

type Place = number | null | ((before: number | null) => number)

/** Null: nowhere, so the newest is shown. */
function listen(plot: HTMLElement, count: () => number, move: (place: Place) => void): void {
  const within = (place: number) => Math.max(0, Math.min(count() - 1, place))
  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = plot.getBoundingClientRect()
    move(within(Math.round(((clientX - left) / width) * (count() - 1))))
  })
  plot.addEventListener('pointerleave', () => move(null))
  plot.addEventListener('blur', () => move(null))
  plot.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -15, PageDown: 15, Home: -Infinity, End: Infinity }[event.key] // prettier-ignore
    if (by === undefined && event.key !== 'Escape') return
    event.preventDefault()
    move(by === undefined ? null : (before) => within((before ?? count() - 1) + by))
  })
}
