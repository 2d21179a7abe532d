// Closes the inspector of its process as soon as nobody is connected to it: Node.js ends it by waiting for all who are, and the event loop
// stands still meanwhile, for good where one of them does not care.
//
// It runs in a thread of that process, so that it neither needs the event loop, which may be blocked, nor takes time from it. It has the main
// thread close the inspector by a session that needs no connection, which interrupts what runs there.

import { Session } from 'node:inspector'
import { setTimeout as pause } from 'node:timers/promises'
import { countConnections, isListening } from './count-connections.js'

/** After that it is asked for again from outside. */
const MAX_MS = 10_000
const LOOK_MS = 10
/** After the event loop has turned: the thread of the inspector takes some time to start. */
const AGAIN_MS = 1000
/** For an event loop that stands still. */
const TURN_MS = 3_600_000

export interface Closing {
  readonly port: number
  /** 1 when the event loop of the main thread has turned, which notifies. */
  readonly turned: Int32Array
}

/**
 * The signal opens the inspector twice: by an interrupt, and when the event loop turns. Where it was closed between the two it is open again
 * then (src/inspector_agent.cc, RequestIoThreadStart).
 */
export async function closeInspector({ port, turned }: Closing): Promise<void> {
  await closeWhenAlone(port)
  Atomics.wait(turned, 0, 0, TURN_MS)
  const end = performance.now() + AGAIN_MS
  do await closeWhenAlone(port)
  while (performance.now() < end && (await pause(LOOK_MS, true)))
}

async function closeWhenAlone(port: number): Promise<void> {
  const end = performance.now() + MAX_MS
  while (isListening(port) && performance.now() < end) {
    if (countConnections(port) === 0) await closeNow(port)
    await pause(LOOK_MS)
  }
}

/**
 * By a session of its own: what closes the inspector ends the others too, and then nobody answers. Looks once more there: until the main thread
 * can be interrupted somebody may have come.
 */
async function closeNow(port: number): Promise<void> {
  const session = new Session()
  session.connectToMainThread()
  const expression = `(() => {
    const builtin = (globalThis.process?.getBuiltinModule ?? require('node:process').getBuiltinModule)
    if ((${String(countConnections)})(${port}, builtin('node:fs').readFileSync) > 0) return
    builtin('node:inspector').close()
  })()`
  let isAnswered = false
  session.post('Runtime.evaluate', { expression, includeCommandLineAPI: true }, () => (isAnswered = true))
  const end = performance.now() + MAX_MS
  while (!isAnswered && isListening(port) && performance.now() < end) await pause(LOOK_MS)
  session.disconnect()
}
