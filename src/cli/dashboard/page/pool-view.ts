// The named pools of programs that let themselves be controlled, and the queues of workers.

import { ask, isReadOnly } from './ask.js'
import { button, element } from './elements.js'
import { inMs, inWholeCpus } from './format.js'
import { createRows, type Column } from './rows.js'
import type { PoolRow, QueueRow, TaskRow, PageTick } from '../look/view.js'

export interface PoolView {
  readonly root: HTMLElement
  show(tick: PageTick): void
}

const POOLS: readonly Column<PoolRow>[] = [
  { head: 'Pool', text: ({ name }) => name },
  { head: 'Process', isNumber: true, text: processOf },
  { head: 'Kind', text: ({ kind }) => kind },
  {
    head: 'Size',
    title: 'Workers, and the CPU budget of the process',
    isNumber: true,
    text: ({ size, budget }) => `${size} of ${inWholeCpus(budget)} CPUs`,
    tone: ({ size, budget, kind }) => (kind !== 'concurrent' && size > Math.max(1, budget) ? 'warn' : null),
  },
  { head: 'Queued', isNumber: true, text: ({ queued }) => String(queued) },
  { head: 'Running', isNumber: true, text: ({ running }) => String(running) },
  { head: 'Done', isNumber: true, text: ({ completed }) => String(completed) },
  {
    head: 'Failed',
    isNumber: true,
    text: ({ failed }) => String(failed),
    tone: ({ failed }) => (failed > 0 ? 'warn' : null),
  },
  {
    head: 'Refused',
    title: 'Turned away, as the queue was full',
    isNumber: true,
    text: ({ refused }) => (refused === null ? '-' : String(refused)),
    tone: ({ refused }) => (refused ? 'warn' : null),
  },
  { head: 'p99 wait', isNumber: true, text: ({ waitP99 }) => inMs(waitP99) },
  { head: 'p99 run', isNumber: true, text: ({ runP99 }) => inMs(runP99) },
  ...(isReadOnly ? [] : [{ head: '', make: makeResize }]),
]

interface PoolTaskRow extends TaskRow {
  readonly pool: string
  readonly pid: number
  readonly thread: number
}

const TASKS: readonly Column<PoolTaskRow>[] = [
  { head: 'Function', text: ({ task }) => task },
  { head: 'Pool', text: ({ pool }) => pool },
  { head: 'Process', isNumber: true, text: processOf },
  { head: 'p99 wait', isNumber: true, text: ({ waitP99 }) => inMs(waitP99) },
  { head: 'p99 run', isNumber: true, text: ({ runP99 }) => inMs(runP99) },
]

const QUEUES: readonly Column<QueueRow>[] = [
  { head: 'Queue', text: ({ queue }) => queue },
  { head: 'Waiting', isNumber: true, text: ({ waiting, problem }) => (problem ? '-' : String(waiting)) },
  { head: 'Running', isNumber: true, text: ({ running, problem }) => (problem ? '-' : String(running)) },
  {
    head: 'Failed',
    isNumber: true,
    text: ({ failed, problem }) => (problem ? '-' : String(failed)),
    tone: ({ failed }) => (failed > 0 ? 'warn' : null),
  },
  {
    head: 'Oldest',
    isNumber: true,
    text: ({ oldestMs }) => (oldestMs === null ? '-' : `${(oldestMs / 1000).toFixed(1)} s`),
  },
  { head: 'Workers', isNumber: true, text: ({ workers, problem }) => (problem ? '-' : String(workers)) },
  {
    head: 'State',
    text: ({ isPaused, problem }) => problem ?? (isPaused ? 'paused' : 'takes jobs'),
    tone: ({ isPaused, problem }) => (problem || isPaused ? 'warn' : 'good'),
  },
]

export function createPoolView(): PoolView {
  const pools = createRows('Pools', POOLS, ({ pid, thread, name }) => `${pid} ${thread} ${name}`)
  const tasks = createRows(
    'Functions of pools',
    TASKS,
    ({ pid, thread, pool, task }) => `${pid} ${thread} ${pool} ${task}`,
  )
  const queues = createRows('Queues', QUEUES, ({ queue }) => queue)
  const part = (title: string, table: HTMLElement) => {
    const box = element('div', { class: 'scroll', role: 'region', 'aria-label': title, tabindex: 0 }, table)
    return element('section', {}, element('h2', {}, title), box)
  }
  const ofPools = part('Pools', pools.root)
  const ofTasks = part('Functions of pools', tasks.root)
  const ofQueues = part('Queues', queues.root)
  return {
    root: element('div', {}, ofPools, ofTasks, ofQueues),
    show(tick) {
      pools.show(tick.pools)
      const rows = tick.pools.flatMap(({ name, pid, thread, tasks }) =>
        tasks.map((each) => ({ ...each, pool: name, pid, thread })),
      )
      tasks.show(rows)
      ofTasks.hidden = rows.length === 0
      queues.show(tick.queues)
      ofPools.hidden = tick.pools.length === 0
      ofQueues.hidden = tick.queues.length === 0
    },
  }
}

function processOf({ pid, thread }: { readonly pid: number; readonly thread: number }): string {
  return thread === 0 ? String(pid) : `${pid} thread ${thread}`
}

function makeResize(): { node: Node; update: (row: PoolRow) => void } {
  let row: PoolRow | undefined
  const node = button('Resize ...', () => {
    if (!row) return
    const { pid, name, size } = row
    const fields = [
      { label: 'At least', value: Math.max(1, size), min: 0 },
      { label: 'At most', value: Math.max(1, size), min: 1 },
    ]
    void ask(`Resize ${name}`, fields, ([min = 1, max = 1]) => ({
      type: 'resize',
      pid,
      pool: name,
      min,
      max,
    }))
  })
  return { node, update: (next) => void (row = next) }
}
