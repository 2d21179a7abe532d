// Counts what is done within a window of time: calls per second without the error of half a call at either end.
//
//   calls of two lanes   |--1--|-----1-----|---1---|--1--|
//                        |------1------|----1----|------1------|
//   the window                     [ from             to ]
//
// A call counts for the share of its own time that lies in the window. So it does not matter where the window begins, whether calls that
// are open together end together, or whether a quota freezes them in between. Counting from the end of one call to the end of another was
// rejected: under a quota calls end while it is not used up, so such a window holds more than its share of that.

import { runLanes, type EndedCall, type LaneLoad } from './run-lanes.js'

/** How calls are counted. */
export type WindowPlan =
  | (WindowSpan & {
      readonly kind: 'span'
      readonly open: number
    })
  /** Long calls: each lane makes one, and its rate is that of its own. */
  | { readonly kind: 'laps'; readonly open: number }

export interface WindowSpan {
  /**
   * Nothing counts before so much time has passed and the calls that started together have ended: until then they do not come as they
   * will later. If the lead must be longer for that, it is so by whole steps; 0: by as much as is needed.
   */
  readonly leadMs: number
  readonly stepMs: number
  readonly countMs: number
}

export interface Counted {
  /** Calls that gave a result, per second. */
  readonly rate: number
  /** All that ended, the lead and the end included, and those that threw. */
  readonly calls: number
  readonly failed: number
}

export interface WindowObserver {
  /** Told of each call that ends in the window. */
  readonly onCounted: (call: EndedCall) => void
  /** Asked at each call; true ends the window early. */
  readonly mustStop: () => boolean
  readonly now?: () => number
}

/** Resolves when the calls that are open at its end have ended, too. */
export async function countWindow(
  load: LaneLoad,
  plan: WindowPlan,
  observer: WindowObserver,
): Promise<Counted> {
  const totals = { calls: 0, failed: 0 }
  const { now = () => performance.now() } = observer
  const counter = plan.kind === 'laps' ? lapCounter() : spanCounter(plan, plan.open, now())
  const isEnough = (call: EndedCall) => {
    totals.calls++
    if (call.isFailed) totals.failed++
    const { isCounted, isOver } = counter.take(call)
    if (isCounted) observer.onCounted(call)
    if (isOver || !observer.mustStop()) return isOver
    counter.stop(call.ended)
    return true
  }
  const laps = plan.kind === 'laps' ? 1 : Infinity
  await runLanes(load, { open: plan.open, laps, isEnough, now })
  const good = totals.calls === 0 ? 0 : 1 - totals.failed / totals.calls
  return { ...totals, rate: counter.perSecond() * good }
}

interface Counter {
  take(call: EndedCall): { isCounted: boolean; isOver: boolean }
  /** Nothing later counts. */
  stop(at: number): void
  perSecond(): number
}

/** A lane that ends early gives the others more of the CPUs only where there are more lanes than CPUs, and then all end late. */
function lapCounter(): Counter {
  let total = 0
  return {
    take({ began, ended }) {
      total += 1000 / (ended - began)
      return { isCounted: true, isOver: false }
    },
    stop() {},
    perSecond: () => total,
  }
}

function spanCounter({ leadMs, stepMs, countMs }: WindowSpan, open: number, started: number): Counter {
  const starting = new Set(Array.from({ length: open }, (_, lane) => lane))
  let from = Infinity
  let to = Infinity
  let count = 0
  const begin = (at: number) => {
    from = started + leadMs
    if (at > from) from = stepMs > 0 ? from + stepMs * Math.ceil((at - from) / stepMs) : at
    to = from + countMs
  }
  return {
    take({ lane, began, ended }) {
      if (starting.size > 0 && starting.delete(lane) && starting.size === 0) begin(ended)
      if (ended <= from) return { isCounted: false, isOver: false }
      // Where the process stood still from before the window to after it, no call lies in it: it is longer then, up to the end of the next.
      if (count === 0 && began >= to && to > from) to = ended
      if (began < to) count += shareWithin(began, ended, { from, to })
      return { isCounted: ended <= to, isOver: ended >= to }
    },
    stop: (at) => void (to = Math.min(to, at)),
    perSecond: () => (to > from ? (1000 * count) / (to - from) : 0),
  }
}

function shareWithin(began: number, ended: number, { from, to }: { from: number; to: number }): number {
  if (began >= from && ended <= to) return 1
  return (Math.min(ended, to) - Math.max(began, from)) / (ended - began)
}
