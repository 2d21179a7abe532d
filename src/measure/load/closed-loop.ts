// Closed loop: each connection sends its next request when one is answered, so the load is what the server can take.

import { createConnections, type Loop, type LoopContext } from './loop.js'
import { countOutcome, isMeasured } from './tally.js'

/** Where nobody listens, a connection is refused within microseconds: without a pause the loop would spin. */
const RECONNECT_PAUSE_MS = 100

export function createClosedLoop(context: LoopContext): Loop {
  const { load, tally, now } = context
  const { pipelining, timeout } = load.settings
  const timeoutMs = timeout * 1000
  let isStopped = false
  const mayStart = (time: number) => !isStopped && time < tally.span.to

  const connections = createConnections(context, (connection, ticket, outcome, message) => {
    const time = now()
    countOutcome(tally, ticket, time, [outcome, message])
    const next = (start: number) => {
      if (mayStart(start)) connection.send({ due: start, from: start, sent: start })
    }
    if (outcome === 'connect') setTimeout(() => next(now()), RECONNECT_PAUSE_MS).unref()
    else next(time)
  })

  return {
    start() {
      for (const connection of connections) {
        for (let i = 0; i < pipelining; i++) {
          const time = now()
          connection.send({ due: time, from: time, sent: time })
        }
      }
    },
    sweep(time) {
      for (const connection of connections) connection.sweep(time, timeoutMs)
      return !mayStart(time) && connections.every(({ inFlight }) => inFlight.length === 0)
    },
    stop() {
      isStopped = true
      for (const connection of connections) {
        tally.unfinished += connection.inFlight.filter(({ due }) => isMeasured(tally, due)).length
        connection.close()
      }
    },
  }
}
