// Counts how requests ended: all of them for progress, and those that were due within the measured time for the result.

import type { RequestOutcome, Ticket } from './connection.js'
import { Histogram } from '../../primitives/histogram.js'
import type { FailureKind } from '../results/load-result.js'

/** The measured time, in milliseconds from the start of the run; `to` moves forward when the run is interrupted. */
export interface MeasuredSpan {
  readonly from: number
  to: number
}

export interface Tally {
  readonly span: MeasuredSpan
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
  /** Answers that arrived within the span, whenever they were due. */
  arrived: number
}

export function createTally(span: MeasuredSpan): Tally {
  return {
    span,
    sent: 0,
    resent: 0,
    answers: 0,
    failures: 0,
    requests: 0,
    unfinished: 0,
    waited: 0,
    arrived: 0,
    errorsByKind: { connect: 0, timeout: 0, reset: 0, protocol: 0 },
    messages: {},
    statuses: new Map(),
    latencies: new Histogram(),
    sendDelays: new Histogram(),
  }
}

export function isInSpan({ span }: Tally, time: number): boolean {
  return time >= span.from && time < span.to
}

/** With fewer answers than this one more or less at an end of the span would count too much. */
const MANY = 50

/** Where answers differ more from each other, those that were due in the span are not those that came in it. */
const ALIKE = 3

/**
 * Answers per second of a closed loop where there were few, from how long they took: L = λW, https://doi.org/10.1287/opre.9.3.383. To count them
 * would depend on where the span begins and ends, above all where several come at a time.
 *
 * @param {number} atATime requests that are under way at any time
 * @returns null where there were many, none, or some without an answer, after which a connection may pause; and where counting tells as much: answers
 *   differ much, or the count is off by more than comes at a time
 */
export function steadyRate(
  { span, arrived, requests, latencies, failures }: Tally,
  atATime: number,
): number | null {
  const { meanMs, maxMs } = latencies
  if (arrived >= MANY || requests === 0 || failures > 0 || !meanMs || maxMs! > ALIKE * meanMs) return null
  const rate = (1000 * atATime) / meanMs
  return Math.abs(arrived - (rate * (span.to - span.from)) / 1000) <= atATime ? rate : null
}

export function countOutcome(
  tally: Tally,
  ticket: Ticket,
  now: number,
  ended: [RequestOutcome, string?],
): void {
  const [outcome, message = ''] = ended
  const counts = isInSpan(tally, ticket.due)
  if (typeof outcome === 'string') {
    tally.failures++
    tally.messages[outcome] ??= message
    if (counts) tally.errorsByKind[outcome]++
    // Left out, the slowest requests of all would make the percentiles look better.
    if (counts && outcome === 'timeout') tally.latencies.record(now - ticket.from)
    return
  }
  tally.answers++
  if (isInSpan(tally, now)) tally.arrived++
  if (!counts) return
  tally.requests++
  tally.statuses.set(outcome, (tally.statuses.get(outcome) ?? 0) + 1)
  tally.latencies.record(now - ticket.from)
}
