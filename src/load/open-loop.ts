// Open loop: requests are due at intended times, whatever the server does. Those that find no free connection wait, and
// their waiting counts: a closed loop would not have sent them, and the stall that delayed them would leave no trace
// ("coordinated omission").

import type { Connection, Ticket } from './connection.js'
import { createConnections, type Loop, type LoopContext } from './loop.js'
import { createSchedule } from './schedule.js'
import { countOutcome, isMeasured } from './tally.js'

/**
 * Timers of Node have a resolution of 1 ms. What is sent within it counts from its sending, or half a millisecond of the
 * generator's own would be added to every latency; of what is later all but this one millisecond counts.
 */
const TIMER_RESOLUTION_MS = 1

export function createOpenLoop(context: LoopContext): Loop {
  const { load, tally, now } = context
  const { rate, poisson, timeout } = load.settings
  const timeoutMs = timeout * 1000
  const schedule = createSchedule({ rate: rate as number, isPoisson: poisson, endMs: tally.span.to })
  let timer: NodeJS.Timeout | undefined

  const idle = createConnections(context, (connection, ticket, outcome, message) => {
    countOutcome(tally, ticket, now(), [outcome, message])
    const wasFree = idle.length > 0
    idle.push(connection)
    sendDue(wasFree)
  })
  const connections = [...idle]

  /**
   * After it nothing is due, or no connection is free. `wasFree`: one was before, so what is due now waited for the
   * generator, not for a connection.
   */
  function sendDue(wasFree: boolean): void {
    let time = now()
    expire(time)
    while (schedule.next <= time && idle.length > 0) {
      const due = schedule.next
      schedule.advance()
      const from = wasFree ? Math.min(time, due + TIMER_RESOLUTION_MS) : due
      send(idle.pop() as Connection, { due, from, sent: time }, wasFree ? time - due : null)
      time = now()
    }
  }

  /** `delay` of the generator; null when the request waited for a connection. */
  function send(connection: Connection, ticket: Ticket, delay: number | null): void {
    if (isMeasured(tally, ticket.due)) {
      if (delay === null) tally.waited++
      else tally.sendDelays.record(delay)
    }
    connection.send(ticket)
  }

  /** Gives up requests that waited for a connection until their timeout was over. */
  function expire(time: number): void {
    while (schedule.next + timeoutMs <= time) {
      const due = schedule.next
      if (isMeasured(tally, due)) tally.waited++
      countOutcome(tally, { due, from: due, sent: time }, time, ['timeout', 'no free connection in time'])
      schedule.advance()
    }
  }

  function tick(): void {
    sendDue(true)
    wake()
  }

  function wake(): void {
    if (schedule.next === Infinity) return
    timer = setTimeout(tick, Math.max(1, Math.ceil(schedule.next - now())))
  }

  return {
    start: tick,
    sweep(time) {
      for (const connection of connections) connection.sweep(time, timeoutMs)
      expire(time)
      return schedule.next === Infinity && idle.length === connections.length
    },
    stop(time) {
      clearTimeout(timer)
      const count = (due: number) => (tally.unfinished += isMeasured(tally, due) ? 1 : 0)
      for (; schedule.next <= time; schedule.advance()) count(schedule.next)
      for (const connection of connections) {
        for (const { due } of connection.inFlight) count(due)
        connection.close()
      }
    },
  }
}
