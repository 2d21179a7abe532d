// Listens to a signal for any number of calls with one listener.
//
// Removing one of n listeners from an EventTarget searches through all of them, and Node warns of a leak at the eleventh;
// but thousands of calls may rightly share one signal.

interface Watch {
  readonly callbacks: Set<() => void>
  readonly listener: () => void
}

const watches = new WeakMap<AbortSignal, Watch>()

/** Calls back once when the signal aborts; the returned function ends the watch. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const { callbacks, listener } = watchOf(signal)
  if (callbacks.size === 0) signal.addEventListener('abort', listener)
  callbacks.add(callback)
  return () => {
    // The runtime keeps a signal alive while somebody listens to it.
    if (callbacks.delete(callback) && callbacks.size === 0) signal.removeEventListener('abort', listener)
  }
}

function watchOf(signal: AbortSignal): Watch {
  let watch = watches.get(signal)
  if (!watch) {
    const callbacks = new Set<() => void>()
    const listener = () => {
      for (const callback of callbacks) callback()
    }
    watches.set(signal, (watch = { callbacks, listener }))
  }
  return watch
}
