// All services, one a row; below them those that do not run.

import { button, element, setAttribute } from './elements.js'
import { inCpus, inMemory, inMs, inPercent, inWholeCpus, perSecond, since } from './format.js'
import { createRows, type Column } from './rows.js'
import { createSpark } from './spark.js'
import type { AbsentRow, ServiceRow, PageTick } from '../look/view.js'

export interface ServiceList {
  readonly root: HTMLElement
  show(tick: PageTick, chosen: string | null): void
}

/** After the name. */
const COLUMNS: readonly Column<ServiceRow>[] = [
  { head: 'State', text: ({ state }) => state, tone: ({ state }) => toneOf(state) },
  { head: 'Serving', isNumber: true, text: ({ serving, wanted }) => `${serving} of ${wanted}` },
  {
    head: '15 minutes',
    title: 'Requests a second; CPUs of what takes no requests',
    make: () => {
      const { node, show } = createSpark()
      return { node, update: ({ line }) => show(line) }
    },
  },
  { head: 'Req/s', isNumber: true, text: ({ figures }) => perSecond(figures.perSecond) },
  {
    head: 'Errors/s',
    isNumber: true,
    text: ({ figures }) => perSecond(figures.errorsPerSecond),
    tone: ({ figures }) => ((figures.errorsPerSecond ?? 0) > 0 ? 'bad' : null),
  },
  {
    head: 'p99',
    title: 'Of the slowest instance',
    isNumber: true,
    text: ({ figures }) => inMs(figures.p99),
  },
  {
    head: 'Loop delay',
    title: 'p99 of the latest instance',
    isNumber: true,
    text: ({ figures }) => inMs(figures.loopDelay),
  },
  {
    head: 'CPUs',
    title: 'Used, and the budget',
    isNumber: true,
    text: ({ figures, budget }) => `${inCpus(figures.cpu)} of ${inWholeCpus(budget)}`,
    tone: ({ figures, budget }) => ((figures.cpu ?? 0) > 0.9 * budget ? 'warn' : null),
  },
  {
    head: 'Throttled',
    title: 'Share of the periods in which the CPU quota froze it',
    isNumber: true,
    text: ({ figures }) => inPercent(figures.throttled),
    tone: ({ figures }) => ((figures.throttled ?? 0) > 0.05 ? 'bad' : null),
  },
  { head: 'Memory', isNumber: true, text: ({ figures }) => inMemory(figures.rss) },
  {
    head: 'Restarts',
    isNumber: true,
    text: ({ crashes, renewals }) => String(crashes + renewals),
    tone: ({ crashes }) => (crashes > 0 ? 'warn' : null),
  },
  { head: 'Up', isNumber: true, text: ({ startedAt }) => since(startedAt, Date.now()) },
]

export function createServiceList(
  choose: (name: string) => void,
  start: (name: string) => void,
): ServiceList {
  const names = new Map<string, HTMLButtonElement>()
  const make = (name: string) => {
    const link = button(name, () => choose(name), { class: 'name' })
    names.set(name, link)
    return { node: link, update: () => {} }
  }
  const running = createRows<ServiceRow>(
    'Services that run',
    [{ head: 'Service', make }, ...COLUMNS],
    ({ name }) => name,
  )
  const absent = createAbsent(start)
  const empty = element(
    'p',
    { class: 'none' },
    'No service runs for this user. Start one: threadwise serve server.js --daemon',
  )
  const box = element(
    'div',
    { class: 'scroll', role: 'region', 'aria-label': 'Services that run', tabindex: 0 },
    running.root,
  )
  return {
    root: element('section', {}, element('h2', {}, 'Services'), empty, box, absent.root),
    show({ services, absent: gone }, chosen) {
      running.show(services)
      for (const [name, link] of names) setAttribute(link, 'aria-current', name === chosen ? 'true' : null)
      absent.show(gone)
      box.hidden = services.length === 0
      empty.hidden = services.length > 0
    },
  }
}

function createAbsent(start: (name: string) => void): {
  root: HTMLElement
  show(rows: readonly AbsentRow[]): void
} {
  const rows = createRows<AbsentRow>(
    'Services that do not run',
    [
      { head: 'Service', text: ({ name }) => name },
      {
        head: 'State',
        text: ({ state }) => state,
        tone: ({ state }) => (state === 'stopped' || state === 'done' ? null : 'bad'),
      },
      { head: 'Since', text: ({ at }) => (at === null ? '-' : since(at, Date.now())) },
      {
        head: 'Why',
        text: ({ reason, lastWords }) => [reason ?? '', ...lastWords].filter(Boolean).join('\n'),
      },
      {
        head: '',
        make: (name) => {
          const again = button('Start', () => start(name), { 'aria-label': `Start ${name}` })
          return {
            node: again,
            update: ({ state }) => void (again.hidden = ['restarting', 'no answer', 'odd'].includes(state)),
          }
        },
      },
    ],
    ({ name }) => name,
  )
  const root = element(
    'div',
    { class: 'scroll absent', role: 'region', 'aria-label': 'Services that do not run', tabindex: 0 },
    rows.root,
  )
  return {
    root,
    show(gone) {
      rows.show(gone)
      root.hidden = gone.length === 0
    },
  }
}

export function toneOf(state: string): string | null {
  if (state === 'serving' || state === 'waiting') return 'good'
  return state === 'failed' || state === 'failing' || state === 'flapping' ? 'bad' : 'warn'
}
