// What has happened, the newest first.

import { element, setText } from './elements.js'
import { timeOf } from './format.js'
import type { DashboardEvent, EventKind } from '../look/view.js'

const MOST = 300
const TONES: Partial<Record<EventKind, string>> = {
  death: 'bad',
  problem: 'warn',
  throttling: 'warn',
  queue: 'warn',
  renewal: 'warn',
  reload: 'good',
}

export interface EventView {
  readonly root: HTMLElement
  add(events: readonly DashboardEvent[]): void
}

export function createEventView(): EventView {
  const list = element('ol', { class: 'events', role: 'region', 'aria-label': 'Events', tabindex: 0 })
  const each = element('input', { type: 'checkbox', id: 'each-instance', checked: true })
  const none = element(
    'p',
    { class: 'none' },
    'Nothing has happened in the last hour, as far as somebody looked.',
  )
  each.addEventListener('change', () => list.classList.toggle('without-instances', !each.checked))
  const choice = element(
    'p',
    { class: 'span' },
    each,
    element('label', { for: 'each-instance' }, ' with those of each instance'),
  )
  const root = element('section', {}, element('h2', {}, 'Events'), choice, none, list)
  let last = 0
  list.hidden = true
  return {
    root,
    add(events) {
      const fresh = events.filter(({ id }) => id > last) // a stream that was opened again sends them all
      last = Math.max(last, ...fresh.map(({ id }) => id))
      list.prepend(...fresh.map(lineOf).reverse())
      while (list.children.length > MOST) list.lastElementChild!.remove()
      none.hidden = list.children.length > 0
      list.hidden = !none.hidden
    },
  }
}

function lineOf({ at, kind, of, text, lastWords }: DashboardEvent): HTMLLIElement {
  const words = lastWords.length === 0 ? null : element('pre', { 'aria-label': 'Its last words' })
  if (words) setText(words, lastWords.join('\n'))
  return element(
    'li',
    { 'data-kind': kind, 'data-tone': TONES[kind] ?? null },
    element('time', { datetime: new Date(at).toISOString() }, timeOf(at)),
    ' ',
    element('span', { class: 'kind' }, kind),
    ' ',
    element('b', {}, of),
    ` ${text}`,
    words,
  )
}
