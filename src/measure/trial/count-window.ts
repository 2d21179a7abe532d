// Counts what ends within a window of time: calls per second without the error of half a call at either end.

import { runLanes, type EndedCall, type Load } from './run-lanes.js'

/** How calls are counted. */
export type WindowPlan = { readonly open: number } & (
  | {
      /**
       * `parts`: of the calls that end first and last in the window, the part of the time since the call before them. For calls that end
       * one by one, and for windows that begin and end with a period of a quota.
       * `calls`: from the end of one call to the end of another. For calls that are open together and may end together.
       */
      readonly edges: 'parts' | 'calls'
      /** Runs before anything counts, then counts for so long, and until so many calls have ended. */
      readonly leadMs: number
      readonly countMs: number
      readonly fewestCalls: number
    }
  /** Long calls: each lane makes one, and its rate is that of its own. */
  | { readonly edges: 'laps' }
)

export interface Counted {
  /** Calls that gave a result, per second. */
  readonly rate: number
  /** All that ended, the lead included, and those that threw. */
  readonly calls: number
  readonly failed: number
}

export interface Observer {
  /** Told of each call that ends while it is counted. */
  readonly onCounted: (call: EndedCall) => void
  /** Asked at each call; true ends the window early. */
  readonly mustStop: () => boolean
  readonly now?: () => number
}

/** Resolves when the calls that are open at its end have ended, too. */
export async function countWindow(load: Load, plan: WindowPlan, observer: Observer): Promise<Counted> {
  const totals = { calls: 0, failed: 0 }
  const { now = () => performance.now() } = observer
  const counter = plan.edges === 'laps' ? lapCounter() : edgeCounter(plan, now())
  const isEnough = (call: EndedCall) => {
    totals.calls++
    if (call.isFailed) totals.failed++
    const { isCounted, isOver } = counter.take(call)
    if (isCounted) observer.onCounted(call)
    return isOver || observer.mustStop()
  }
  const laps = plan.edges === 'laps' ? 1 : Infinity
  await runLanes(load, { open: plan.open, laps, isEnough, now })
  const good = totals.calls === 0 ? 0 : 1 - totals.failed / totals.calls
  return { ...totals, rate: counter.perSecond() * good }
}

interface Counter {
  take(call: EndedCall): { isCounted: boolean; isOver: boolean }
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
    perSecond: () => total,
  }
}

function edgeCounter(plan: Exclude<WindowPlan, { edges: 'laps' }>, started: number): Counter {
  const { edges, leadMs, countMs, fewestCalls } = plan
  let from = started + leadMs
  let to = from + countMs
  let previous = started
  let last = started
  let count = 0
  let ended = 0
  const begin = (at: number) => {
    ended++
    if (edges === 'parts') count += (at - from) / (at - previous)
    else [from, to] = [at, at + countMs] // this call ends where the window begins: it is not in it
  }
  const end = (at: number) => {
    if (edges === 'parts' && previous < to) count -= (at - to) / (at - previous)
    else to = at // the window was too short for its calls: it ends with this one
  }
  return {
    take({ ended: at }) {
      if (at < from) return { isCounted: false, isOver: note(at) }
      if (ended === 0) begin(at)
      else [count, ended] = [count + 1, ended + 1]
      const isOver = at >= to && ended >= fewestCalls
      if (isOver) end(at)
      return { isCounted: true, isOver: note(at) || isOver }
    },
    perSecond: () => (last >= to ? (1000 * count) / (to - from) : unfinished(count, from, last)),
  }
  function note(at: number): false {
    previous = at
    last = at
    return false
  }
}

/** The rate of a window that was ended early; 0 where nothing had ended. */
function unfinished(count: number, from: number, last: number): number {
  return last > from ? (1000 * count) / (last - from) : 0
}
