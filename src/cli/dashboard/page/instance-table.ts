// The instances of a service: each of its processes, one a row.

import { element } from './elements.js'
import { inCpus, inMemory, inMs, perSecond, since } from './format.js'
import { createRows, type Column } from './rows.js'
import { toneOf } from './service-list.js'
import type { InstanceLoad, InstanceStatus, ServiceStatus } from '../../../serve/contract/events.js'

/** One that has just begun was not asked yet. */
const isSilent = ({ state, load, readyAt }: InstanceStatus) =>
  state === 'serving' && load === null && Date.now() - (readyAt ?? 0) > 10_000

const ofLoad = (head: string, text: (load: InstanceLoad) => string): Column<InstanceStatus> => ({
  head,
  isNumber: true,
  text: ({ load }) => (load ? text(load) : '-'),
})

const FIRST: readonly Column<InstanceStatus>[] = [
  { head: 'Instance', text: ({ id }) => String(id) },
  { head: 'Process', isNumber: true, text: ({ pid }) => String(pid) },
  {
    head: 'State',
    text: (instance) => (isSilent(instance) ? 'no answer' : instance.state),
    tone: (instance) => (isSilent(instance) ? 'warn' : toneOf(instance.state)),
  },
  { head: 'Up', isNumber: true, text: ({ startedAt }) => since(startedAt, Date.now()) },
]
const OF_REQUESTS = [
  ofLoad('Req/s', (load) => perSecond(load.perSecond)),
  ofLoad('p50', ({ p50 }) => inMs(p50)),
  ofLoad('p99', ({ p99 }) => inMs(p99)),
  ofLoad('Open', ({ open }) => String(open)),
  ofLoad('Requests', ({ requests }) => String(requests)),
  ofLoad('Errors', ({ errors }) => String(errors)),
  ofLoad('Loop delay', ({ loopDelay }) => inMs(loopDelay)),
]
const LAST = [ofLoad('CPUs', ({ cpu }) => inCpus(cpu)), ofLoad('Memory', ({ rss }) => inMemory(rss))]

export interface Instances {
  readonly root: HTMLElement
  show(instances: readonly InstanceStatus[], kind: ServiceStatus['kind']): void
}

export function createInstances(): Instances {
  const make = (columns: readonly Column<InstanceStatus>[]) =>
    createRows('Instances', columns, ({ id }) => String(id))
  const tables = { server: make([...FIRST, ...OF_REQUESTS, ...LAST]), program: make([...FIRST, ...LAST]) }
  const root = element('div', {
    class: 'scroll tall',
    role: 'region',
    'aria-label': 'Instances',
    tabindex: 0,
  })
  return {
    root,
    show(instances, kind) {
      const table = tables[kind === 'server' ? 'server' : 'program']
      table.show([...instances].sort((a, b) => a.id - b.id))
      if (root.firstChild !== table.root) root.replaceChildren(table.root)
    },
  }
}
