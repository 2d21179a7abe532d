// One shape and one colour per executor, the same in every plot: the shape tells them apart where colours do not.

import type { ExecutorName } from '../../results/result.js'
import { executorOrder } from '../figures/cell-groups.js'
import { markup, type Markup } from './markup.js'

const shapes: Record<ExecutorName, string> = {
  inline: 'M-4.5-4.5h9v9h-9z',
  concurrent: 'M0-6.2L6.2 0L0 6.2L-6.2 0z',
  threads: 'M0-5.4a5.4 5.4 0 1 1 0 10.8a5.4 5.4 0 1 1 0-10.8z',
  processes: 'M0-6.2L6 4.6H-6z',
  bullmq: 'M0 6.2L6-4.6H-6z',
}

export interface MarkPlace {
  /** Percent of the width of the plot. */
  x: number
  /** Pixels from the top, or a percentage of the height. */
  y: number | string
  title: string
  /** Drawn with a ring around it. */
  ringed?: boolean
}

/** The mark inside a plot; `title` is its tooltip. */
export function plotMark(executor: ExecutorName, { x, y, title, ringed }: MarkPlace): Markup {
  const ring = ringed ? markup`<circle class="ring" r="10"/>` : null
  return markup`<svg class="mark ${executor}" x="${x}%" y="${y}" overflow="visible">${ring}<path d="${shape(executor)}"/><title>${title}</title></svg>`
}

/** The mark in running text; the text beside it says what it means. */
export function textMark(executor: ExecutorName): Markup {
  return markup`<svg class="key mark ${executor}" width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true"><path d="${shape(executor)}"/></svg>`
}

/** A key of the executors that occur. */
export function executorKey(executors: readonly ExecutorName[]): Markup {
  const shown = executorOrder.filter((executor) => executors.includes(executor))
  return markup`<ul class="keys">${shown.map((executor) => markup`<li>${textMark(executor)} ${executor}</li>`)}</ul>`
}

function shape(executor: ExecutorName): string {
  return shapes[executor] ?? shapes.inline
}
