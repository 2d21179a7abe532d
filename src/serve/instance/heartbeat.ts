// Inside an instance with a hangTimeout: a thread that sees when the event loop no longer beats, and writes where the
// code is. Only the process itself can tell that without a port that others could reach, and its own thread is the one that hangs.

import { Worker } from 'node:worker_threads'

export interface Heartbeat {
  /** A question of the primary was taken. From the first one on the event loop beats by itself: a primary that stalls, and asks nothing, is no hang. */
  beat(): void
  /** No more will come. */
  stop(): void
}

const STOPPED = -1
/** Within each limit, so that one that is late does not look like a hang. */
const BEATS = 5

export function createHeartbeat(hangTimeoutMs: number): Heartbeat {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(new URL('./hang-entry.js', import.meta.url), {
    ...{ workerData: { beats, hangTimeoutMs }, name: 'threadwise-hang' },
    ...{ execArgv: [], env: {}, resourceLimits: { maxOldGenerationSizeMb: 16 } }, // nothing of the user's runs in it
  })
  thread.unref()
  thread.on('error', () => {}) // without it there is no stack, and all else works
  let timer: NodeJS.Timeout | undefined
  const beat = () => {
    if (Atomics.load(beats, 0) === STOPPED) return
    Atomics.add(beats, 0, 1)
    Atomics.notify(beats, 0)
  }
  const stop = () => {
    clearInterval(timer)
    Atomics.store(beats, 0, STOPPED)
    Atomics.notify(beats, 0)
  }
  process.once('disconnect', stop)
  return {
    stop,
    beat() {
      beat()
      if (Atomics.load(beats, 0) !== STOPPED) timer ??= setInterval(beat, hangTimeoutMs / BEATS).unref()
    },
  }
}
