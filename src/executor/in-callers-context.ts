// Messages of a worker come in the asynchronous context in which it was started: none, or that of whichever request needed it first. And
// a call that waits for room goes on in that of the one before it.

import { AsyncResource } from 'node:async_hooks'

interface Listening {
  readonly onProgress?: ((value: unknown) => void) | undefined
}

/** The same options, with an onProgress as if it were called where this is: an AsyncLocalStorage gives what it gives here. */
export function inCallersContext<O extends Listening>(options: O | undefined): O | undefined {
  if (!options?.onProgress) return options
  return { ...options, onProgress: AsyncResource.bind(options.onProgress, 'threadwise.onProgress') }
}
