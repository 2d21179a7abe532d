// The thread that waits for the main thread to hang. When the event loop there has not beaten for somewhat longer than the hangTimeout, and
// before the primary replaces the instance, it writes the stack of the main thread to standard error.

import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'
import { readPausedStack } from '../../primitives/paused-stack.js'

const STDERR = 2
/** One that goes on within this time after its stack was taken does not hang: for instance all processes were suspended together. */
const SETTLE_MS = 100

const { beats, hangTimeoutMs } = workerData as { beats: Int32Array; hangTimeoutMs: number }
let connected: Session | undefined

void watch()

async function watch(): Promise<void> {
  // Not before the first beat: until then it is starting.
  let seen = 0
  Atomics.wait(beats, 0, seen)
  while ((seen = Atomics.load(beats, 0)) >= 0) {
    if (Atomics.wait(beats, 0, seen, hangTimeoutMs * 1.1) !== 'timed-out') continue
    const stack = await captureStack().catch(() => undefined) // for instance a build of Node without inspector
    if (stack !== undefined && Atomics.load(beats, 0) === seen)
      writeSync(STDERR, `threadwise: process ${process.pid} does not answer; it is in\n${stack}\n`)
    Atomics.wait(beats, 0, seen) // if it beats again, it can hang again
  }
}

/**
 * Stops the main thread for some milliseconds, however long it takes until it stops: it may be in native code, and nobody but this thread
 * lets it go on. And the session is not disconnected: while the main thread is in a loop, that, or the end of this thread, aborts
 * the process (Node 20.20, two times in six).
 */
async function captureStack(): Promise<string | undefined> {
  const awake = setInterval(() => {}, 1e6) // a session alone does not keep this thread
  try {
    const session = connectOnce()
    session.removeAllListeners()
    const frames = await readPausedStack({
      send: (method) => new Promise((resolve) => session.post(method, () => resolve())),
      onEvent: (listener) =>
        session.on('inspectorNotification', ({ method, params }) => {
          listener(method, params)
        }),
    })
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
    return frames?.map(({ text }) => text).join('\n')
  } finally {
    clearInterval(awake)
  }
}

/** The same one each time, since none is disconnected. */
function connectOnce(): Session {
  if (connected) return connected
  const session = new Session()
  session.connectToMainThread()
  return (connected = session)
}
