// Open loop: requests are due at intended times, whatever the server does. Those that find no free connection wait, and
// their waiting counts: a closed loop would not have sent them, and the stall that delayed them would leave no trace
// ("coordinated omission").

import type { LoadConnection, RequestOutcome } from './connection.js'
import { createConnections, type Loop, type LoopContext } from './loop.js'
import { createSchedule, scheduleOf, type Schedule } from './schedule.js'
import { countOutcome, isInSpan, type Tally } from './tally.js'

/**
 * Timers of Node have a resolution of 1 ms. What is sent within it counts from its sending, or half a millisecond of the
 * generator's own would be added to every latency; of what is later all but this one millisecond counts.
 */
const TIMER_RESOLUTION_MS = 1

export class OpenLoop implements Loop {
  readonly #tally: Tally
  readonly #now: () => number
  readonly #timeoutMs: number
  readonly #schedule: Schedule
  readonly #connections: readonly LoadConnection[]
  /** Taken from the end: a few warm connections, and others only when they are needed. */
  readonly #idle: LoadConnection[]
  #timer: NodeJS.Timeout | undefined

  constructor(context: LoopContext) {
    const { rate, poisson, timeout, requests } = context.load.settings
    this.#tally = context.tally
    this.#now = context.now
    this.#timeoutMs = timeout * 1000
    const endMs = context.tally.span.to
    const { times } = context
    this.#schedule = times
      ? scheduleOf(times, endMs)
      : createSchedule({ rate: rate as number, isPoisson: poisson, requests: requests ?? Infinity, endMs })
    this.#connections = createConnections(context, (connection, ticket, outcome, message) => {
      countOutcome(this.#tally, ticket, this.#now(), [outcome, message])
      const wasFree = this.#idle.length > 0
      this.#idle.push(connection)
      this.#sendDue(wasFree)
    })
    this.#idle = [...this.#connections]
  }

  start(): void {
    this.#sendDue(true)
    if (this.#schedule.next === Infinity) return
    const waitMs = Math.max(1, Math.ceil(this.#schedule.next - this.#now()))
    this.#timer = setTimeout(() => this.start(), waitMs)
  }

  sweep(time: number): boolean {
    for (const connection of this.#connections) connection.sweep(time, this.#timeoutMs)
    this.#expire(time)
    return this.#schedule.next === Infinity && this.#idle.length === this.#connections.length
  }

  stop(time: number): void {
    clearTimeout(this.#timer)
    const count = (due: number) => (this.#tally.unfinished += isInSpan(this.#tally, due) ? 1 : 0)
    for (; this.#schedule.next <= time; this.#schedule.advance()) count(this.#schedule.next)
    for (const connection of this.#connections) {
      for (const { due } of connection.inFlight) count(due)
      connection.close()
    }
  }

  /**
   * After it nothing is due, or no connection is free. `wasFree`: one was before, so what is due now waited for the
   * generator, not for a connection.
   */
  #sendDue(wasFree: boolean): void {
    let time = this.#now()
    this.#expire(time)
    while (this.#schedule.next <= time && this.#idle.length > 0) {
      const due = this.#schedule.next
      this.#schedule.advance()
      if (isInSpan(this.#tally, due)) {
        if (wasFree) this.#tally.sendDelays.record(time - due)
        else this.#tally.waited++
      }
      const from = wasFree ? Math.min(time, due + TIMER_RESOLUTION_MS) : due
      const connection = this.#idle.pop() as LoadConnection
      connection.send({ due, from, sent: time })
      time = this.#now()
    }
  }

  /** Gives up requests that waited for a connection until their timeout was over. */
  #expire(time: number): void {
    while (this.#schedule.next + this.#timeoutMs <= time) {
      const due = this.#schedule.next
      if (isInSpan(this.#tally, due)) this.#tally.waited++
      const ended: [RequestOutcome, string] = ['timeout', 'no free connection in time']
      countOutcome(this.#tally, { due, from: due, sent: time }, time, ended)
      this.#schedule.advance()
    }
  }
}
