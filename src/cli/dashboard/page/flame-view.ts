// The flame graph of a profile: callers above what they call, each as wide as its share of the busy time. Beside it the same as a list.

import { button, element, svgElement } from './elements.js'
import type { Flame, ActionOutcome } from '../look/view.js'

const ROW = 20
/** A narrower box has no room for a name. */
const NAMED = 0.04
const LISTED = 30

export interface FlameView {
  readonly root: HTMLElement
  readonly show: (outcome: ActionOutcome) => void
  readonly clear: () => void
}

export function createFlame(): FlameView {
  const root = element('div', { class: 'profile' })
  root.hidden = true
  const clear = () => {
    root.hidden = true
    root.replaceChildren()
  }
  const show = ({ text, flame }: ActionOutcome) => {
    root.hidden = false
    root.replaceChildren(
      element('h3', {}, 'Profile'),
      element('p', {}, text),
      ...(flame ? [graphOf(flame), listOf(flame)] : []),
      element(
        'p',
        { class: 'none' },
        'More, with what could move to a thread: threadwise doctor --attach with --html.',
      ),
      button('Take it away', clear),
    )
  }
  return { root, show, clear }
}

function graphOf(root: Flame): HTMLElement {
  const boxes: SVGElement[] = []
  let depth = 0
  const draw = (flame: Flame, left: number, level: number) => {
    depth = Math.max(depth, level)
    boxes.push(boxOf(flame, left, level))
    let x = left
    for (const child of flame.children) {
      draw(child, x, level + 1)
      x += child.share
    }
  }
  draw(root, 0, 0)
  const svg = svgElement(
    'svg',
    {
      class: 'flame',
      width: '100%',
      height: (depth + 1) * ROW,
      role: 'img',
      'aria-label': 'Flame graph; the list below has the same',
    },
    ...boxes,
  )
  return element('div', { class: 'scroll', role: 'region', 'aria-label': 'Flame graph', tabindex: 0 }, svg)
}

function boxOf({ name, place, isYours, share }: Flame, left: number, level: number): SVGElement {
  const title = `${name}, ${Math.round(100 * share)} %${place === '' ? '' : `, ${place}`}`
  return svgElement(
    'svg',
    {
      x: `${100 * left}%`,
      y: level * ROW,
      width: `${100 * share}%`,
      height: ROW,
      class: isYours ? 'yours' : 'others',
    },
    svgElement('title', {}, title),
    svgElement('rect', { width: '100%', height: ROW }),
    share < NAMED ? null : svgElement('text', { x: 4, y: 14 }, name),
  )
}

function listOf(root: Flame): HTMLElement {
  const all: Flame[] = []
  const visit = (flame: Flame) => {
    all.push(flame)
    flame.children.forEach(visit)
  }
  root.children.forEach(visit)
  const most = all.sort((a, b) => b.share - a.share).slice(0, LISTED)
  const lines = most.map(({ name, place, share }) =>
    element('li', {}, `${Math.round(100 * share)} %  ${name}${place === '' ? '' : `  ${place}`}`),
  )
  return element(
    'details',
    {},
    element('summary', {}, 'The flame graph as a list'),
    element('ol', {}, ...lines),
  )
}
