// The thread that waits for the main thread to hang. The primary asks twice within each hangTimeout; when nothing was taken for somewhat
// longer than one, and before the primary replaces the instance, it writes the stack of the main thread to standard error.

import { writeSync } from 'node:fs'
import { Session } from 'node:inspector'
import { workerData } from 'node:worker_threads'

/** A thread that runs JavaScript answers in 10 to 50 ms; one inside native code does not answer. */
const ANSWER_MS = 1000
const STDERR = 2

interface Paused {
  params: { callFrames: Frame[] }
}

interface Parsed {
  params: { scriptId: string; url: string }
}

interface Frame {
  functionName: string
  location: { scriptId: string; lineNumber: number; columnNumber?: number }
}

const { beats, hangTimeoutMs } = workerData as { beats: Int32Array; hangTimeoutMs: number }

// Not before the first question: until then it is starting.
let seen = 0
Atomics.wait(beats, 0, seen)
while ((seen = Atomics.load(beats, 0)) >= 0) {
  if (Atomics.wait(beats, 0, seen, hangTimeoutMs * 1.1) !== 'timed-out') continue
  const stack = await captureStack().catch(() => undefined) // for instance a build of Node without inspector
  if (stack !== undefined) {
    writeSync(STDERR, `threadwise: process ${process.pid} does not answer; it is in\n${stack}\n`)
    Atomics.wait(beats, 0, seen) // see captureStack(); it is about to be replaced, and perhaps never asked again
    break
  }
  Atomics.wait(beats, 0, seen)
}

/**
 * Stops the main thread for some milliseconds. Every step is awaited: a session that is dropped too early leaves it stopped. And
 * it is not disconnected: while the main thread is in a loop, that, or the end of this thread, aborts the process (Node 20.20, two
 * times in six).
 */
async function captureStack(): Promise<string | undefined> {
  const session = new Session()
  session.connectToMainThread()
  const post = (method: string) => new Promise<void>((resolve) => session.post(method, () => resolve()))
  const urls = new Map<string, string>() // frames name their script by number
  session.on('Debugger.scriptParsed', (message) => {
    const { scriptId, url } = (message as unknown as Parsed).params
    urls.set(scriptId, url)
  })
  const paused = new Promise<Paused>((resolve) => {
    session.once('Debugger.paused', (message) => resolve(message))
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ANSWER_MS, undefined)))
  const read = async () => {
    await post('Debugger.enable')
    await post('Debugger.pause')
    const { params } = await paused
    await post('Debugger.resume')
    await post('Debugger.disable')
    return params.callFrames.map((frame) => describe(frame, urls)).join('\n')
  }
  const stack = await Promise.race([read(), late])
  clearTimeout(timer)
  return stack
}

function describe({ functionName, location }: Frame, urls: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location
  return `    at ${functionName || '<anonymous>'} (${urls.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1})`
}
