// Where in its JavaScript a thread is that does not answer: asked through the inspector, which stops it for some milliseconds.
//
//   this thread --NodeWorker--> Debugger.enable, .pause --> the call frames --> .resume, .disable --> detach
//
// Every step is awaited: a session that is dropped before the thread has resumed spoils the next one (Node 24). Code that
// is inside the platform, as in Atomics.wait or a native addon, cannot be stopped: then there is no stack.

import { Session, url as inspectorUrl } from 'node:inspector'

/** Milliseconds. A thread that runs JavaScript answers in 10 to 50, on a busy machine in 300. */
const ANSWER_MS = 1000

/** Our own frames say nothing of the task. */
const ownCode = new URL('../..', import.meta.url).href

interface PausedFrame {
  readonly functionName: string
  readonly location: {
    readonly scriptId: string
    readonly lineNumber: number
    readonly columnNumber?: number
  }
}

interface Frame extends PausedFrame {
  readonly url: string
}

interface FromThread {
  readonly id?: number
  readonly method?: string
  readonly params?: {
    readonly callFrames?: readonly PausedFrame[]
    readonly scriptId?: string
    readonly url?: string
  }
}

/** One after the other: two debuggers would resume each other's thread. */
let last: Promise<unknown> = Promise.resolve()

/** Undefined: there is none to be had. Never rejects. */
export function captureStack(threadId: number): Promise<string | undefined> {
  const stack = last.then(() => capture(threadId))
  last = stack
  return stack
}

async function capture(threadId: number): Promise<string | undefined> {
  if (inspectorUrl() !== undefined) return undefined // somebody debugs this program, and would see it stop
  const session = new Session()
  try {
    session.connect()
    const frames = await within(ANSWER_MS, pauseAndRead(session, threadId))
    return frames && describeFrames(frames)
  } catch {
    return undefined // for instance a build of Node without inspector
  } finally {
    await within(ANSWER_MS, post(session, 'NodeWorker.disable')).catch(() => {})
    session.disconnect()
  }
}

async function pauseAndRead(session: Session, threadId: number): Promise<readonly Frame[] | undefined> {
  const attached = attach(session, threadId)
  await post(session, 'NodeWorker.enable', { waitForDebuggerOnStart: false })
  const sessionId = await attached
  const { send, paused } = connect(session, sessionId)
  await send('Debugger.enable')
  await send('Debugger.pause')
  const frames = await within(ANSWER_MS / 2, paused)
  if (frames) await send('Debugger.resume')
  await send('Debugger.disable')
  await post(session, 'NodeWorker.detach', { sessionId })
  return frames
}

/** Resolves with the number of the thread's session. Its title alone names the thread: workerId is another count. */
function attach(session: Session, threadId: number): Promise<string> {
  return new Promise((resolve) => {
    session.on('NodeWorker.attachedToWorker', ({ params }) => {
      if (params.workerInfo.title.startsWith(`[worker ${threadId}]`)) resolve(params.sessionId)
    })
  })
}

/** Speaks with the debugger of the thread. */
function connect(session: Session, sessionId: string) {
  const answers = new Map<number, () => void>()
  const urls = new Map<string | undefined, string | undefined>() // of scripts, which frames name by number
  let lastId = 0
  const paused = new Promise<readonly Frame[]>((resolve) => {
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId !== sessionId) return
      const message = JSON.parse(params.message) as FromThread
      if (message.id !== undefined) answers.get(message.id)?.()
      const { scriptId, url, callFrames } = message.params ?? {}
      if (message.method === 'Debugger.scriptParsed') urls.set(scriptId, url)
      const urlOf = ({ location }: PausedFrame) => urls.get(location.scriptId) ?? ''
      if (message.method === 'Debugger.paused')
        resolve((callFrames ?? []).map((frame) => ({ ...frame, url: urlOf(frame) })))
    })
  })
  const send = async (method: string) => {
    const id = ++lastId
    const answered = new Promise<void>((resolve) => answers.set(id, resolve))
    await post(session, 'NodeWorker.sendMessageToWorker', {
      sessionId,
      message: JSON.stringify({ id, method }),
    })
    await answered
  }
  return { send, paused }
}

function post(session: Session, method: string, params: object = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error) => (error ? reject(new Error(error.message)) : resolve()))
  })
}

/** Undefined when it takes too long. */
async function within<T>(ms: number, result: Promise<T>): Promise<T | undefined> {
  let timer
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, ms, undefined)))
  try {
    return await Promise.race([result, late])
  } finally {
    clearTimeout(timer)
  }
}

/** As in the stack of an error, from the innermost frame to the task. */
function describeFrames(frames: readonly Frame[]): string | undefined {
  const own = frames.findIndex(({ url }) => url.startsWith(ownCode))
  if (own <= 0) return undefined // the task has ended meanwhile
  const ofTask = frames.slice(0, own)
  return ofTask.map((frame) => `    at ${describeFrame(frame)}`).join('\n')
}

function describeFrame({ functionName, url, location: { lineNumber, columnNumber = 0 } }: Frame): string {
  const place = `${url}:${lineNumber + 1}:${columnNumber + 1}`
  return functionName === '' ? place : `${functionName} (${place})`
}
