// Where in its JavaScript a thread is that does not answer: asked through the inspector of this thread, whose domain NodeWorker leads
// to that of the other one.

import type { Session } from 'node:inspector'
import {
  readPausedStack,
  type Debugger,
  type DebuggerEvent,
  type Frame,
} from '../../primitives/paused-stack.js'
import { startTimer, stopTimer, type Timer } from '../../primitives/timers.js'

/** Milliseconds. A thread that runs JavaScript answers in 10 to 50, on a busy machine in 300. */
const ANSWER_MS = 1000

/** Our own frames say nothing of the task. */
const OWN_CODE = 'threadwise:'

interface FromThread {
  readonly id?: number
  readonly method?: string
  readonly params?: DebuggerEvent
}

/** One after the other: two debuggers would resume each other's thread. */
let last: Promise<unknown> = Promise.resolve()

/** Undefined: there is none to be had. Never rejects. */
export function captureStack(threadId: number): Promise<string | undefined> {
  const stack = last.then(() => capture(threadId)).catch(() => undefined)
  last = stack
  return stack
}

async function capture(threadId: number): Promise<string | undefined> {
  // Not by import: only few programs ever need it, and a build of Node may have none.
  const inspector = process.getBuiltinModule('node:inspector')
  if (inspector.url() !== undefined) return undefined // somebody debugs this program, and would see it stop
  const session = new inspector.Session()
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
  const frames = await readPausedStack(debuggerOf(session, sessionId), (paused) =>
    within(ANSWER_MS / 2, paused),
  )
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

function debuggerOf(session: Session, sessionId: string): Debugger {
  const answers = new Map<number, () => void>()
  let lastId = 0
  let onEvent: (method: string, params: DebuggerEvent) => void = () => {}
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    if (params.sessionId !== sessionId) return
    const message = JSON.parse(params.message) as FromThread
    if (message.id !== undefined) answers.get(message.id)?.()
    if (message.method !== undefined) onEvent(message.method, message.params ?? {})
  })
  return {
    async send(method) {
      const id = ++lastId
      const answered = new Promise<void>((resolve) => answers.set(id, resolve))
      const message = JSON.stringify({ id, method })
      await post(session, 'NodeWorker.sendMessageToWorker', { sessionId, message })
      await answered
    },
    onEvent: (listener) => (onEvent = listener),
  }
}

function post(session: Session, method: string, params: object = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    session.post(method, params, (error) => (error ? reject(new Error(error.message)) : resolve()))
  })
}

/** Undefined when it takes too long. */
async function within<T>(ms: number, result: Promise<T>): Promise<T | undefined> {
  let timer: Timer
  const late = new Promise<undefined>((resolve) => (timer = startTimer(ms, () => resolve(undefined))))
  try {
    return await Promise.race([result, late])
  } finally {
    stopTimer(timer)
  }
}

/** Those of the task. */
function describeFrames(frames: readonly Frame[]): string | undefined {
  const own = frames.findIndex(({ url }) => url.startsWith(OWN_CODE))
  if (own <= 0) return undefined // the task has ended meanwhile
  return frames
    .slice(0, own)
    .map(({ text }) => text)
    .join('\n')
}
