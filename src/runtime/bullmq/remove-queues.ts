// Removes the queues of a prefix, with all that they hold: what was made to be measured, or for a test.

import { createKeepAlive, inTime } from '../core/lifecycle.js'
import { connect } from './connection/connect.js'

/** Milliseconds: a store that is away keeps what it has. */
const PATIENCE_MS = 10_000

/** False: the store could not be reached. */
export async function removeQueues(connection: string | object, prefix: string): Promise<boolean> {
  const keepAlive = createKeepAlive() // the connection keeps no program alive
  keepAlive.set(true)
  const store = await connect(connection, prefix, { onUp() {}, onProblem() {} })
  try {
    return await inTime(store.removeKeys(), PATIENCE_MS)
  } finally {
    store.end()
    keepAlive.end()
  }
}
