// Marks the messages of a worker as ours. The task module may post messages of its own over the same port, such as
// process.send('ready') for a process manager; they are none of the pool's business.

import type { FromWorker } from './messages.js'

const MARK = 'threadwise'

export function wrap(message: FromWorker): object {
  return { [MARK]: message }
}

/** Undefined for whatever is not from `wrap`. */
export function unwrap(received: unknown): FromWorker | undefined {
  if (typeof received !== 'object' || received === null) return undefined
  return (received as Record<string, FromWorker | undefined>)[MARK]
}
