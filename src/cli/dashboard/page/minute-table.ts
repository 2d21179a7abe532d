// The last hour as a table, minute by minute: what the lines show, for whoever does not see them.

import { element } from './elements.js'
import { inCpus, inMemory, inMs, inPercent, perSecond, timeOf } from './format.js'
import type { Past } from './past.js'
import { createRows } from './rows.js'
import type { FigureName } from '../look/view.js'

const HEADS: readonly [FigureName, string, (value: number | null) => string][] = [
  ['perSecond', 'Req/s', perSecond],
  ['errorsPerSecond', 'Errors/s', perSecond],
  ['p50', 'p50', inMs],
  ['p99', 'p99', inMs],
  ['loopDelay', 'Loop delay', inMs],
  ['cpu', 'CPUs', inCpus],
  ['throttled', 'Throttled', inPercent],
  ['rss', 'Memory', inMemory],
]
const MINUTES = 60

interface Minute {
  readonly at: number
  readonly values: Readonly<Record<string, number | null>>
}

export function createMinutes(): { readonly root: HTMLElement; show(past: Past): void } {
  const rows = createRows<Minute>(
    'The largest value of each minute, the newest first',
    [
      { head: 'Until', text: ({ at }) => timeOf(at) },
      ...HEADS.map(([figure, head, format]) => ({
        head,
        isNumber: true,
        text: ({ values }: Minute) => format(values[figure] ?? null),
      })),
    ],
    ({ at }) => String(at),
  )
  const box = element(
    'div',
    { class: 'scroll tall', role: 'region', 'aria-label': 'The lines as a table', tabindex: 0 },
    rows.root,
  )
  const root = element('details', {}, element('summary', {}, 'The lines as a table'), box)
  let last: Past | undefined
  root.addEventListener('toggle', () => last && show(last))
  const show = (past: Past) => {
    last = past
    if (!root.open) return
    const spans = HEADS.map(([figure]) => [figure, past.span(figure, MINUTES, MINUTES)] as const)
    const { until, stepMs, values } = spans[0]![1]
    const minutes = values.map((_, index): Minute => ({
      at: until - (values.length - 1 - index) * stepMs,
      values: Object.fromEntries(spans.map(([figure, span]) => [figure, span.values[index] ?? null])),
    }))
    rows.show(
      minutes.filter(({ values: some }) => Object.values(some).some((value) => value !== null)).reverse(),
    )
  }
  return { root, show }
}
