// Runs inside a child process: loads the task module, then serves calls from the parent.

import { Socket } from 'node:net'
import { captureOutput } from '../worker/capture-output.js'
import { createHeapWatch, readUsage } from '../worker/worker-usage.js'
import type { BeginMessage, CallBatch, FromWorker, ToWorker } from '../wire/messages.js'
import { BY_PIPE } from '../wire/codec/packet.js'
import { carryThrown } from '../wire/thrown.js'
import { TaskServer } from '../worker/task-server.js'
import { watchStores } from '../task/async-scope.js'
import { loadTasks, type FindTask, type LoadedModule } from '../task/load-task.js'
import type { WorkerPlace } from '../task/task-context.js'
import { runHook, setUp, type Hook } from '../task/worker-hooks.js'
import { enterPlace } from '../worker/worker-place.js'
import { brokenError, findBroken } from '../worker/watch-built-ins.js'
import { removeModuleGlobals } from '../../primitives/eval-globals.js'
import { enterWorker, onFirstCall } from '../../primitives/task-modules.js'
import { openChannel } from './child-channel.js'
import { CHANNEL_FD, FrameReader, writeFrame } from './frames.js'
import { nextTurn } from '../../primitives/timers.js'

removeModuleGlobals()
watchStores()
const [module, name, id, slot, maxHeapBytes, ...parents] = process.argv.slice(2) as [
  ...[string, string, string, string, string],
  ...string[],
]
enterWorker(parents, module)
const exit = process.exit.bind(process)
// What is our own has come, and nothing that a task sends may be read by Node in the parent: the pool speaks by a pipe of its own.
process.nextTick(() => process.disconnect?.()) // not now: Node is still giving the message that brought this code, and would fail
Reflect.deleteProperty(process, 'send')

const channel = openChannel(CHANNEL_FD)

const post = (message: FromWorker) => writeFrame(channel, message)

// Files and terminals have it at once; a pipe may be slow.
captureOutput(
  (to, text) => atOnce(() => post({ type: 'output', to, text })),
  (stream) => stream instanceof Socket && !(stream as { isTTY?: boolean }).isTTY,
)

// Node prints it, and ends this process, unless somebody handles it.
process.on('uncaughtExceptionMonitor', (error) => {
  const isHandled =
    process.listenerCount('uncaughtException') > 0 || process.hasUncaughtExceptionCaptureCallback()
  if (!isHandled) atOnce(() => post({ type: 'uncaught', error: carryThrown(error, BY_PIPE).carried }))
})

leaveSignalsToParent()
channel.on('error', () => {}) // the parent is gone; 'close' follows
channel.on('close', () => exit())
process.title = `${name}-${id}`

/** On Linux the first thread of a process has its number. */
const osThreadId = process.platform === 'linux' ? process.pid : null
const readCpu = process.cpuUsage.bind(process)

function cpuMs(): number {
  const { user, system } = readCpu()
  return (user + system) / 1000
}

/**
 * Ctrl-C, the end of a terminal, and what systemd sends to a service reach the whole process group. The parent decides what they mean: it may
 * wait for calls. If it ends, so does this process. Whoever sends one to itself means it.
 */
function leaveSignalsToParent(): void {
  const left: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
  const ignore = () => {}
  for (const signal of left) process.on(signal, ignore)
  const kill = process.kill.bind(process)
  process.kill = (pid, signal = 'SIGTERM') => {
    const { signals } = process.getBuiltinModule('node:os').constants
    const isOwn = (name: NodeJS.Signals) => signal === name || signal === signals[name]
    if (pid === process.pid) for (const name of left) if (isOwn(name)) process.off(name, ignore)
    return kill(pid, signal)
  }
}

/** Ends this process once all that it has sent is on its way: process.exit() alone does not wait for pipes. */
function end(): void {
  channel.write('', () => exit(0))
}

/**
 * What is written meanwhile has left when this returns: the task may never come back to the event loop, as when it exits. If something
 * waits already it goes behind that: libuv cannot write both ways at a time.
 */
function atOnce(write: () => void): void {
  const { _handle: handle } = channel as unknown as { _handle?: { setBlocking?(isBlocking: boolean): void } }
  const mayBlock = channel.writableLength === 0
  if (mayBlock) handle?.setBlocking?.(true)
  try {
    write()
  } finally {
    if (mayBlock) handle?.setBlocking?.(false) // what is read would block too
  }
}

/** What takes messages: at first only the one that comes before the module is loaded. */
let onMessage = begin
const reader = new FrameReader((message) => onMessage(message as ToWorker))
channel.on('data', (chunk: Buffer) => {
  reader.read(chunk)
  checkBuiltIns()
})

/** The first message: what this worker is given. */
function begin(message: ToWorker): void {
  const { workerData, sideBySide, argv, cwd } = message as BeginMessage
  process.argv.splice(2, Infinity, ...argv) // what stood there was ours
  const place = enterPlace({ name, id: Number(id), slot: Number(slot) }, workerData)
  const failed = (error: unknown) =>
    post({ type: 'start-failed', error: carryThrown(error, BY_PIPE).carried })
  loadIn(cwd)
    .then((loaded) => serve(loaded, { place, sideBySide }))
    .catch(failed)
}

/** Rejects where there is no such folder any more. */
async function loadIn(cwd: string | undefined): Promise<LoadedModule> {
  if (cwd !== undefined) process.chdir(cwd)
  return loadTasks(module)
}

interface Given {
  readonly place: WorkerPlace
  /** Promises of a call for many inputs that may be open at a time. */
  readonly sideBySide: number
}

async function serve({ find, hooks }: LoadedModule, { place, sideBySide }: Given): Promise<void> {
  await setUp(hooks, place, post)
  let findTask!: FindTask
  onFirstCall(find, (found) => (findTask = found))
  const maxBytes = Number(maxHeapBytes)
  const server = new TaskServer((task) => findTask(task), {
    post,
    send: post,
    carrier: BY_PIPE,
    place,
    sideBySide,
    defer: (callback) => nextTurn(() => (callback(), checkBuiltIns())),
    onCall: maxBytes < Infinity ? createHeapWatch(maxBytes, () => post({ type: 'recycle' })) : undefined,
  })
  process.on('exit', () => atOnce(() => server.flush()))
  const runLater = runInTurn((batch) => server.runBatch(batch))
  onMessage = (message) => {
    if (Array.isArray(message)) runLater(message)
    else if (message.type === 'close' || message.type === 'retire') void tearDown(hooks.teardown, place)
    else if (message.type === 'inspect')
      post({ type: 'report', usage: readUsage({ osThreadId, cpuMs, hasOwnMemory: true }) })
    else if (message.type !== 'begin') server.control(message)
  }
  post({ type: 'ready', tearsDown: hooks.teardown !== undefined })
}

/** What it throws is an error between calls, and is told as such. */
async function tearDown(hook: Hook | undefined, place: WorkerPlace): Promise<void> {
  try {
    await runHook(hook, place)
  } catch (error) {
    post({ type: 'uncaught', error: carryThrown(error, BY_PIPE).carried })
  }
  end()
}

/** With a built-in function that does not work this process could not answer: its end settles its calls. */
function checkBuiltIns(): void {
  const broken = findBroken()
  if (broken === undefined) return
  try {
    atOnce(() => post({ type: 'uncaught', error: carryThrown(brokenError(broken), BY_PIPE).carried }))
  } finally {
    exit(1)
  }
}

/** Runs each batch after all messages that have arrived were read: a cancellation may be right behind its call. */
function runInTurn(run: (batch: CallBatch) => void): (batch: CallBatch) => void {
  const batches: CallBatch[] = []
  const runNext = () => {
    const batch = batches.shift()!
    if (batches.length > 0) nextTurn(runNext)
    run(batch)
    checkBuiltIns()
  }
  return (batch) => {
    if (batches.push(batch) === 1) nextTurn(runNext)
  }
}
