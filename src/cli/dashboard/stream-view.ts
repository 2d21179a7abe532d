// The two streams: what a page shows, and the events alone. Each that is open makes the collector look.

import type { ServerResponse } from 'node:http'
import type { Collector, Seen } from './look/collector.js'
import { STEP_MS } from './look/history.js'
import type { Streams } from './streams.js'
import type { TrackedService } from './look/tracked-service.js'
import type { Beginning, PageTick } from './look/view.js'

interface Source {
  readonly streams: Streams
  readonly collector: Collector
}

/** False: too many are open. `service`: the one of which all is shown; null: none. */
export function streamView(
  response: ServerResponse,
  { streams, collector, service }: Source & { readonly service: string | null },
): boolean {
  let end = () => {}
  const stream = streams.open(response, () => end())
  if (!stream) return false
  let lastEvent = 0
  let lines = 0
  let shownOf: TrackedService | undefined
  end = collector.watch((seen) => {
    const chosen = seen.tracked.find(({ name }) => name === service)
    // Also when it has come again: all that is known of it is sent.
    if (chosen !== shownOf || lastEvent === 0) {
      const history = chosen?.past() ?? null
      stream.send('begin', { stepMs: STEP_MS, history } satisfies Beginning)
      lines = 0
    }
    shownOf = chosen
    const events = collector.events.after(lastEvent)
    stream.send('tick', tickOf(seen, { events, chosen: chosen?.chosen(lines) ?? null }))
    lastEvent = Math.max(lastEvent, events.at(-1)?.id ?? 0)
    lines = chosen?.lineCount ?? 0
  })
  return true
}

/** The same for machines. `after`: the id of the last event that was heard; 0: none. */
export function streamEvents(
  response: ServerResponse,
  { streams, collector, after }: Source & { readonly after: number },
): boolean {
  let end = () => {}
  const stream = streams.open(response, () => end())
  if (!stream) return false
  let last = after
  end = collector.watch(() => {
    for (const event of collector.events.after(last)) {
      stream.send(event.kind, event, event.id)
      last = event.id
    }
  })
  return true
}

function tickOf(
  { at, tracked, absent, pools, queues }: Seen,
  own: Pick<PageTick, 'events' | 'chosen'>,
): PageTick {
  return { at, services: tracked.map(({ row }) => row), absent, pools, queues, ...own }
}
