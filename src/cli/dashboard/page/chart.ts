// Lines over the last minutes. Where the mouse is, or where the arrow keys lead, the values of that time are read out.

import { element, setAttribute, setText, svgElement } from './elements.js'
import { timeOf } from './format.js'
import { linePath, niceMost } from './line-path.js'
import type { Past, ChartSpan } from './past.js'
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

export class Chart {
  readonly root: HTMLElement
  readonly #options: ChartOptions
  readonly #paths: readonly SVGElement[]
  readonly #across = svgElement('line', { class: 'limit', x1: 0, x2: WIDTH })
  readonly #cursor = svgElement('line', { class: 'cursor', y1: 0, y2: HEIGHT, visibility: 'hidden' })
  readonly #plot: HTMLElement
  readonly #top = element('span', { class: 'top' })
  readonly #values: readonly { readonly text: HTMLElement; readonly figure: HTMLElement }[]
  readonly #limit = element('span', { class: 'limit-text' })
  readonly #when = element('span', { class: 'when' })
  #spans: readonly ChartSpan[] = []
  /** The place that is read out; null: the newest. */
  #chosen: number | null = null

  constructor(options: ChartOptions) {
    const { title, lines } = options
    this.#options = options
    this.#paths = lines.map((_, index) => svgElement('path', { class: `line line-${index}` }))
    this.#values = lines.map(({ label }, index) => {
      const figure = element('b')
      const text = element('span', { class: `value value-${index}` }, label ? `${label} ` : null, figure)
      return { text, figure }
    })
    const frame = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', 'aria-hidden': 'true' }
    const svg = svgElement('svg', frame, this.#across, ...this.#paths, this.#cursor)
    const slider = {
      class: 'plot',
      role: 'slider',
      tabindex: 0,
      'aria-label': `${title} over time`,
      'aria-orientation': 'horizontal',
    }
    this.#plot = element('div', slider, svg, this.#top)
    const texts = [element('span', { class: 'title' }, title), ...this.#values.map(({ text }) => text)]
    const caption = element('figcaption', {}, ...texts, this.#limit, this.#when)
    this.root = element('figure', { class: 'chart' }, caption, this.#plot)
    listen(
      this.#plot,
      () => this.#last + 1,
      (place) => this.#move(place),
    )
  }

  show(past: Past, minutes: number, limit: Limit | null): void {
    const { lines, unit = 1, format } = this.#options
    this.#spans = lines.map(({ figure }) => past.span(figure, minutes, PARTS))
    const known = this.#spans.flatMap(({ values }) => values.filter((value) => value !== null))
    const highest = Math.max(0, ...known)
    const isNear = limit !== null && limit.value <= 5 * highest
    const round = unit * niceMost(highest / unit)
    const most = isNear ? Math.max(round, limit.value * 1.1) : round
    const size = { width: WIDTH, height: HEIGHT, most }
    this.#spans.forEach(({ values }, line) => setAttribute(this.#paths[line]!, 'd', linePath(values, size)))
    setAttribute(this.#across, 'visibility', isNear ? 'visible' : 'hidden')
    const y = String(HEIGHT - ((limit?.value ?? 0) / most) * HEIGHT)
    for (const end of ['y1', 'y2']) setAttribute(this.#across, end, y)
    setText(this.#limit, limit?.label ?? '')
    setText(this.#top, format(most))
    this.#read()
  }

  get #last(): number {
    return (this.#spans[0]?.values.length ?? 1) - 1
  }

  #move(place: Place): void {
    this.#chosen = typeof place === 'function' ? place(this.#chosen) : place
    this.#read()
  }

  #read(): void {
    const { format } = this.#options
    const last = this.#last
    const index = Math.min(this.#chosen ?? last, last)
    this.#values.forEach(({ figure }, line) =>
      setText(figure, format(this.#spans[line]?.values[index] ?? null)),
    )
    const [span] = this.#spans
    const time = span ? timeOf(span.until - (last - index) * span.stepMs) : ''
    setText(this.#when, this.#chosen === null ? '' : time)
    setAttribute(this.#cursor, 'visibility', this.#chosen === null ? 'hidden' : 'visible')
    for (const end of ['x1', 'x2'])
      setAttribute(this.#cursor, end, String(last > 0 ? (index / last) * WIDTH : 0))
    const told = this.#values.map(({ text }) => text.textContent).join(', ')
    const said = { valuemin: 0, valuemax: last, valuenow: index, valuetext: `${time}: ${told}` }
    for (const [name, value] of Object.entries(said)) setAttribute(this.#plot, `aria-${name}`, String(value))
  }
}

/** Null: nowhere, so the newest is shown. */
type Place = number | null | ((before: number | null) => number)

function listen(plot: HTMLElement, count: () => number, move: (place: Place) => void): void {
  const within = (place: number) => Math.max(0, Math.min(count() - 1, place))
  plot.addEventListener('pointermove', ({ clientX }) => {
    const { left, width } = plot.getBoundingClientRect()
    move(within(Math.round(((clientX - left) / width) * (count() - 1))))
  })
  plot.addEventListener('pointerleave', () => move(null))
  plot.addEventListener('blur', () => move(null))
  plot.addEventListener('keydown', (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: -15, PageDown: 15, Home: -Infinity, End: Infinity }[
      event.key
    ]
    if (by === undefined && event.key !== 'Escape') return
    event.preventDefault()
    move(by === undefined ? null : (before) => within((before ?? count() - 1) + by))
  })
}
