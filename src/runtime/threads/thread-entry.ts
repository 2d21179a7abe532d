// Runs inside a worker thread: loads the task module, then serves calls from the parent.

import { parentPort, workerData } from 'node:worker_threads'
import { describe } from '../../errors/errors.js'
import { captureOutput } from '../worker/capture-output.js'
import { createHeapWatch, readUsage } from '../worker/worker-usage.js'
import { wrap, WAKE, type FromWorker } from '../wire/messages.js'
import { machineNow } from '../wire/machine-clock.js'
import { BY_MESSAGE } from '../wire/codec/packet.js'
import { carryThrown } from '../wire/thrown.js'
import { TaskServer, type TaskServerPort } from '../worker/task-server.js'
import { watchStores } from '../task/async-scope.js'
import { loadTasks, type FindTask, type LoadedModule } from '../task/load-task.js'
import { runHook, setUp, type Hook } from '../task/worker-hooks.js'
import { enterPlace } from '../worker/worker-place.js'
import { serveQueue } from '../shared-memory/worker/serve-queue.js'
import type { QueueServer } from '../shared-memory/worker/queue-server.js'
import { countCopies, createCopyCollector } from './young-collection.js'
import { countStart, watchCancelled } from './call-counters.js'
import { BufferTable } from '../shared-memory/worker/buffer-table.js'
import { workerViews } from '../shared-memory/layout/worker-memory.js'
import { createInbox, type Received } from '../shared-memory/worker/inbox.js'
import type { ThreadData } from './thread-data.js'
import { brokenError, findBroken, keepAtomics } from '../worker/watch-built-ins.js'
import { removeEvalGlobals, removeEvalName } from '../../primitives/eval-globals.js'
import { enterWorker, onFirstCall } from '../../primitives/task-modules.js'
import { nextTurn } from '../../primitives/timers.js'

removeEvalGlobals()
removeEvalName()
keepAtomics()
watchStores()
const {
  module,
  parents,
  name,
  id,
  slot,
  maxHeapBytes,
  sideBySide,
  counters: shared,
  init,
  given,
  port: own,
} = workerData as ThreadData
// Not for tasks, which see the workerData too: what they wrote there would be other workers' calls.
for (const field of ['sideBySide', 'counters', 'init', 'given', 'port'])
  Reflect.deleteProperty(workerData as object, field)
enterWorker(parents, module)
const place = enterPlace({ name, id, slot }, given)
/** What the module does before this worker ends. */
let teardown: Hook | undefined
const counters = shared && new Int32Array(shared)
const port = own ?? parentPort!
const exit: (code: number) => never = process.exit.bind(process)
/** Not by import, which would load node:fs with all that belongs to it, such as streams and readline, into every worker. */
const fs = () => process.getBuiltinModule('node:fs')
const count = countCopies(() => port.postMessage(wrap({ type: 'collect' })))
const post = (message: FromWorker, transfer?: readonly object[]) => {
  count(transfer)
  port.postMessage(wrap(message), transfer as never)
}
/** Pieces of output that were sent. */
const output = { sent: 0 }
captureOutput((to, text) => {
  output.sent++
  port.postMessage(wrap({ type: 'output', to, text }))
})
const collectCopies = createCopyCollector(machineNow)

/** Gives what is to be called with the tasks once they are loaded. */
function prepare(): (loaded: LoadedModule) => Promise<void> {
  let findTask: FindTask
  const inbox = createInbox({
    port,
    buffers: new BufferTable(init?.buffers ?? [], init && workerViews(init.own).control),
    hasCancelled: counters && watchCancelled(counters),
    onCancel: (message) => server.control(message),
    onUnreadable: endUnread,
    onWaiting() {
      nextTurn(readAll)
      queue?.onMessageWaiting()
    },
  })
  const poll = counters && inbox.poll
  const afterTurn = () => queue?.afterTurn() // promises have settled: there may be places for calls from the queue again
  const tasksPerWorker = () => queue?.tasksPerWorker ?? Infinity
  const beforeReplies = () => queue?.tellLoad()
  const serverPort = taskServerPort({ poll, beforeReplies, afterTurn, tasksPerWorker })
  const server = new TaskServer((task) => findTask(task), serverPort)
  const onMessage = (message: Received) => handle(message, { server, queue })
  const queue = init && serveQueue(init, { port, server, post, output, onMessage, checkBuiltIns, ...inbox })

  function readAll(): void {
    queue?.onReading()
    for (let message = inbox.take(); message !== undefined; message = inbox.take()) onMessage(message)
    queue?.serve()
    checkBuiltIns()
  }

  return async ({ find, hooks }) => {
    await setUp(hooks, place, post)
    teardown = hooks.teardown
    onFirstCall(find, (found) => (findTask = found))
    process.on('exit', () => server.flush())
    port.on('message', (message: Received) => {
      if (message === WAKE && queue) return queue.serve() // which reads other messages that wait, if the doorbell says so
      inbox.push(message)
      readAll()
    })
    queue?.tellLoad()
    post({ type: 'ready', tearsDown: teardown !== undefined })
    queue?.serve()
  }
}

/**
 * Calls that cannot be read cannot be answered: the end of this worker settles them. Not an error that is thrown: a task may be running, or
 * somebody listens to uncaughtException, and would keep it.
 */
function endUnread(error: unknown): never {
  post({ type: 'unreadable', reason: describe(error) })
  exit(1)
}

/** With a built-in function that does not work this thread could not answer: its end settles its calls. */
function checkBuiltIns(): void {
  const broken = findBroken()
  if (broken === undefined) return
  try {
    post({ type: 'uncaught', error: carryThrown(brokenError(broken), BY_MESSAGE).carried })
  } finally {
    exit(1)
  }
}

interface PortParts {
  readonly poll: (() => void) | undefined
  readonly beforeReplies: () => void
  readonly afterTurn: () => void
  readonly tasksPerWorker: () => number
}

function taskServerPort({ poll, beforeReplies, afterTurn, tasksPerWorker }: PortParts): TaskServerPort {
  return {
    post,
    send: post,
    carrier: BY_MESSAGE,
    poll,
    defer(callback) {
      nextTurn(() => {
        beforeReplies()
        callback()
        afterTurn()
        checkBuiltIns()
      })
    },
    beforeReplies,
    tasksPerWorker,
    sideBySide,
    callStarts: counters && (() => countStart(counters)),
    place,
    onCall:
      maxHeapBytes < Infinity ? createHeapWatch(maxHeapBytes, () => post({ type: 'recycle' })) : undefined,
  }
}

/** Node tells it from 23.9 on; before that Linux does, in nanoseconds. */
function threadCpuMs(): number | null {
  const { threadCpuUsage } = process as { threadCpuUsage?: () => NodeJS.CpuUsage }
  if (threadCpuUsage) {
    const { user, system } = threadCpuUsage.call(process)
    return (user + system) / 1000
  }
  try {
    return Number(fs().readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6
  } catch {
    return null
  }
}

interface Served {
  readonly server: TaskServer
  readonly queue: QueueServer | undefined
}

function handle(message: Received, { server, queue }: Served): void {
  if (message === WAKE) return
  if (Array.isArray(message)) {
    queue?.onBatch()
    server.runBatch(message)
  } else if (message.type === 'retire') {
    queue?.retire()
    post({ type: 'retired' })
  } else if (message.type === 'collect') {
    collectCopies()
  } else if (message.type === 'close') {
    void end()
  } else if (message.type === 'inspect') {
    const sleptMs = () => queue?.sleptMs ?? 0
    const osThreadId = readOsThreadId()
    const usage = readUsage({ osThreadId, cpuMs: threadCpuMs, hasOwnMemory: false, sleptMs })
    post({ type: 'report', usage })
  } else if (message.type !== 'begin') {
    server.control(message)
  }
}

/** What its teardown throws is an error between calls, and is told as such. */
async function end(): Promise<void> {
  try {
    await runHook(teardown, place)
  } catch (error) {
    post({ type: 'uncaught', error: carryThrown(error, BY_MESSAGE).carried })
  }
  exit(0)
}

/** Linux only: this link names the thread that reads it, as "<pid>/task/<tid>". */
function readOsThreadId(): number | null {
  try {
    return Number(fs().readlinkSync('/proc/thread-self').split('/').at(-1))
  } catch {
    return null
  }
}

port.on('messageerror', endUnread)

const loading = loadTasks(module)
const serve = prepare() // while the file is read
loading
  .then(serve)
  .catch((error: unknown) => post({ type: 'start-failed', error: carryThrown(error, BY_MESSAGE).carried }))
