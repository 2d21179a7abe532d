// A line in a row of a table: how it was in the last quarter of an hour, without figures, which stand beside it.

import { setAttribute, svgElement } from './elements.js'
import { linePath } from './line-path.js'
import type { ChartValues } from './past.js'

const SIZE = { width: 90, height: 20 }

export function createSpark(): { readonly node: SVGElement; readonly show: (values: ChartValues) => void } {
  const path = svgElement('path', { class: 'line line-0' })
  const box = { class: 'spark', viewBox: `0 -1 ${SIZE.width} ${SIZE.height + 2}`, 'aria-hidden': 'true' }
  const node = svgElement('svg', box, path)
  const show = (values: ChartValues) => {
    const most = Math.max(0, ...values.filter((value) => value !== null))
    setAttribute(path, 'd', linePath(values, { ...SIZE, most }))
  }
  return { node, show }
}
