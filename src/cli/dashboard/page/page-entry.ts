// The script of the page: takes what the stream brings, and shows it. Which service is chosen stands in the address, behind the #.

import { ask, askDialog, isReadOnly } from './ask.js'
import { element, setAttribute, setText } from './elements.js'
import { createEventView } from './event-view.js'
import { timeOf } from './format.js'
import { Past } from './past.js'
import { createPoolView } from './pool-view.js'
import { createServiceList } from './service-list.js'
import { ServiceView } from './service-view.js'
import type { Beginning, PageTick } from '../look/view.js'

const start = (name: string) => void ask(`Start ${name}`, [], () => ({ type: 'start', service: name }))
const list = createServiceList((name) => (location.hash = encodeURIComponent(name)), start)
const view = new ServiceView(() => (location.hash = ''))
const pools = createPoolView()
const events = createEventView()
const state = element('p', { class: 'state', role: 'status' }, 'Connecting ...')
const time = element('p', { class: 'time' })
const badge = isReadOnly ? element('span', { class: 'badge' }, 'read-only') : null
const gone = element('p', { class: 'none' })

document
  .getElementById('app')!
  .append(
    element(
      'header',
      {},
      element('h1', {}, 'threadwise ', element('span', {}, 'dashboard')),
      badge,
      state,
      time,
    ),
    element('main', {}, list.root, gone, view.root, pools.root, events.root),
    askDialog,
  )
view.root.hidden = gone.hidden = true

let past: Past | undefined
let source: EventSource | undefined
let isNew = chosenName() !== null
addEventListener('hashchange', () => {
  isNew = true
  open()
})
open()

function chosenName(): string | null {
  try {
    return decodeURIComponent(location.hash.slice(1)) || null
  } catch {
    return null
  }
}

function open(): void {
  source?.close()
  const name = chosenName()
  view.root.hidden = true
  source = new EventSource(name === null ? 'stream' : `stream?${new URLSearchParams({ service: name })}`)
  source.addEventListener('begin', ({ data }: MessageEvent<string>) => begin(JSON.parse(data) as Beginning))
  source.addEventListener('tick', ({ data }: MessageEvent<string>) =>
    show(JSON.parse(data) as PageTick, name),
  )
  source.addEventListener('error', () => lost(source!))
}

function begin({ stepMs, history }: Beginning): void {
  past = history ? new Past(stepMs, history) : undefined
  if (!past) return
  view.root.hidden = false
  view.clear(isNew) // not when a connection was lost: whoever reads elsewhere stays there
  isNew = false
}

function show(tick: PageTick, name: string | null): void {
  setText(state, 'Live')
  setAttribute(document.body, 'data-stale', null)
  setText(time, timeOf(tick.at))
  list.show(tick, name)
  pools.show(tick)
  events.add(tick.events)
  const row = tick.services.find((service) => service.name === name)
  view.root.hidden = !(row && tick.chosen && past)
  gone.hidden = name === null || row !== undefined
  setText(gone, `${name ?? ''} does not run now.`)
  document.title = name === null ? 'threadwise dashboard' : `${name} - threadwise dashboard`
  if (!row || !tick.chosen || !past) return
  past.add(row.figures, tick.at)
  view.show(row, tick.chosen, past)
}

/** The browser tries again by itself, unless the dashboard refuses: too many pages are open, or it is another run of it. */
function lost({ readyState }: EventSource): void {
  const isOver = readyState === EventSource.CLOSED
  setText(
    state,
    isOver
      ? 'The dashboard refuses this page: load it anew, or close others.'
      : 'The dashboard does not answer. The figures are old.',
  )
  setAttribute(document.body, 'data-stale', 'true')
}
