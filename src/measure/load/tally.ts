// Counts how requests ended: all of them for progress, and those that were due within the measured time for the result.

import type { Outcome, Ticket } from './connection.js'
import { Histogram } from '../../primitives/histogram.js'
import type { FailureKind } from '../results/load-result.js'

/** The measured time, in milliseconds from the start of the run; `to` moves forward when the run is interrupted. */
export interface Span {
  readonly from: number
  to: number
}

export interface Tally {
  readonly span: Span
  /** In the whole run. */
  sent: number
  resent: number
  answers: number
  failures: number
  /** Of requests that were due within the span. */
  requests: number
  unfinished: number
  waited: number
  readonly errorsByKind: Record<FailureKind, number>
  readonly messages: Partial<Record<FailureKind, string>>
  readonly statuses: Map<number, number>
  readonly latencies: Histogram
  readonly sendDelays: Histogram
  /** Answers that arrived within the span, whenever they were due; and when the last one before it, and the last one in it did. */
  arrived: number
  lastBefore: number
  lastWithin: number
}

export function createTally(span: Span): Tally {
  return {
    ...{ span, sent: 0, resent: 0, answers: 0, failures: 0, requests: 0, unfinished: 0, waited: 0 },
    ...{ arrived: 0, lastBefore: NaN, lastWithin: NaN },
    errorsByKind: { connect: 0, timeout: 0, reset: 0, protocol: 0 },
    messages: {},
    statuses: new Map(),
    latencies: new Histogram(),
    sendDelays: new Histogram(),
  }
}

export function isMeasured({ span }: Tally, due: number): boolean {
  return due >= span.from && due < span.to
}

/** With fewer answers than this one more or less at an end of the span would count too much. */
const MANY = 50

/**
 * Answers per second where there were few: from the last one before the span to the last one within it, which are whole rounds also where
 * several come at a time. Null where there were many, or none before.
 */
export function steadyRate({ arrived, lastBefore, lastWithin }: Tally): number | null {
  const spanMs = lastWithin - lastBefore
  return arrived < MANY && spanMs > 0 ? (1000 * arrived) / spanMs : null
}

function noteArrival(tally: Tally, now: number): void {
  const { from, to } = tally.span
  if (now < from) tally.lastBefore = now
  else if (now < to) {
    tally.arrived++
    tally.lastWithin = now
  }
}

export function countOutcome(tally: Tally, ticket: Ticket, now: number, ended: [Outcome, string?]): void {
  const [outcome, message = ''] = ended
  const counts = isMeasured(tally, ticket.due)
  if (typeof outcome === 'string') {
    tally.failures++
    tally.messages[outcome] ??= message
    if (counts) tally.errorsByKind[outcome]++
    // Left out, the slowest requests of all would make the percentiles look better.
    if (counts && outcome === 'timeout') tally.latencies.record(now - ticket.from)
    return
  }
  tally.answers++
  noteArrival(tally, now)
  if (!counts) return
  tally.requests++
  tally.statuses.set(outcome, (tally.statuses.get(outcome) ?? 0) + 1)
  tally.latencies.record(now - ticket.from)
}
