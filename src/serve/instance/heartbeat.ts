// The heartbeat of the event loop, for an instance with a hangTimeout. A thread beside it (hang-entry.ts) writes the stack of the main
// thread when the beats end. Another process could get the stack only through a port, which others could reach too.

import { Worker } from 'node:worker_threads'
import { PROGRAM_OF_THREAD } from '../../primitives/run-text.js'
import hangCode from './hang-entry.js?code'

export interface Heartbeat {
  /** The instance has answered the primary. From the first time on it beats by itself, so a primary that stalls does not look like a hang. */
  beat(): void
  /** No more beats will come. */
  stop(): void
}

const STOPPED = -1
/** Beats within each limit, so that a late one does not look like a hang. */
const BEATS = 5

export function createHeartbeat(hangTimeoutMs: number): Heartbeat {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const thread = new Worker(PROGRAM_OF_THREAD, {
    eval: true,
    workerData: { beats, hangTimeoutMs, code: hangCode },
    name: 'threadwise-hang',
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 16 }, // nothing of the user's runs in it
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
