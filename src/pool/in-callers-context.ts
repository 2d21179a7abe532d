// Messages of a worker come in the asynchronous context in which it was started: none, or that of whichever request needed it first.

import { AsyncResource } from 'node:async_hooks'

/** The same function, as if it were called where this is: an AsyncLocalStorage gives what it gives here. */
export function inCallersContext(callback: (value: unknown) => void): (value: unknown) => void {
  return AsyncResource.bind(callback)
}
