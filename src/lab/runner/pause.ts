// Long work of the main thread in pieces, so that Ctrl-C is heard between them.

/** To be awaited often: gives the event loop a turn now and then, and throws the reason of the signal when it is aborted. */
export type Pause = () => Promise<void>

/** Milliseconds of work between two turns. */
const WORK_MS = 30

export function createPause(signal: AbortSignal | undefined): Pause {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < WORK_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
    since = performance.now()
  }
}

/** For work that nobody ends early. */
export const noPause: Pause = async () => {}
