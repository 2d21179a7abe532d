// Closed loop: each connection sends its next request when one is answered, so the load is what the server can take.

import type { LoadConnection } from './connection.js'
import { createConnections, type Loop, type LoopContext } from './loop.js'
import { countOutcome, isInSpan } from './tally.js'

/** Where nobody listens, a connection is refused within microseconds: without a pause the loop would spin. */
const RECONNECT_PAUSE_MS = 100

export function createClosedLoop(context: LoopContext): Loop {
  const { load, tally, now, spreadMs } = context
  const { pipelining, timeout } = load.settings
  let left = load.settings.requests ?? Infinity
  let isStopped = false
  const mayStart = (time: number) => !isStopped && left > 0 && time < tally.span.to
  const send = (connection: LoadConnection, time: number) => {
    if (!mayStart(time)) return
    left--
    connection.send({ due: time, from: time, sent: time })
  }

  const connections = createConnections(context, (connection, ticket, outcome, message) => {
    const time = now()
    countOutcome(tally, ticket, time, [outcome, message])
    if (outcome === 'connect') setTimeout(() => send(connection, now()), RECONNECT_PAUSE_MS).unref()
    else send(connection, time)
  })

  return {
    start() {
      for (const [index, connection] of connections.entries()) {
        const begin = () => {
          for (let i = 0; i < pipelining; i++) send(connection, now())
        }
        if (spreadMs === 0) begin()
        else setTimeout(begin, (spreadMs * index) / connections.length).unref()
      }
    },
    sweep(time) {
      for (const connection of connections) connection.sweep(time, timeout * 1000)
      return !mayStart(time) && connections.every(({ inFlight }) => inFlight.length === 0)
    },
    stop() {
      isStopped = true
      for (const connection of connections) {
        tally.unfinished += connection.inFlight.filter(({ due }) => isInSpan(tally, due)).length
        connection.close()
      }
    },
  }
}
