// Runs inside a child process: loads the task module, then serves calls from the parent.

import { createHeapWatch, readUsage } from '../worker/worker-usage.js'
import { wrap, type CallBatch, type FromWorker, type ToWorker } from '../wire/messages.js'
import { ownMemory } from '../wire/own-memory.js'
import { encodeThrown } from '../wire/serialize-error.js'
import { TaskServer } from '../worker/task-server.js'
import { loadTasks } from '../task/load-task.js'
import { removeModuleGlobals } from '../../primitives/eval-globals.js'

removeModuleGlobals()
const [module, name, id, maxHeapBytes] = process.argv.slice(2) as [string, string, string, string]
const post = (message: FromWorker) => process.send!(wrap(message), undefined, undefined, ignoreError)

/** The parent is gone; 'disconnect' follows and ends this process. */
function ignoreError(): void {}

// Ctrl-C reaches the whole process group. The parent decides what it means; if it ends, so does this process.
process.on('SIGINT', () => {})
process.on('disconnect', () => process.exit())
process.title = `${name}-${id}`

/** On Linux the first thread of a process has its number. */
const osThreadId = process.platform === 'linux' ? process.pid : null

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

loadTasks(module).then(
  (findTask) => {
    const maxBytes = Number(maxHeapBytes)
    const server = new TaskServer(findTask, {
      post,
      send: post,
      defer: setImmediate,
      worker: { name, id: Number(id) },
      onCall: maxBytes < Infinity ? createHeapWatch(maxBytes, () => post({ type: 'recycle' })) : undefined,
    })
    process.on('exit', () => server.flush())
    const runLater = runInTurn((batch) => server.runBatch(batch))
    process.on('message', (received: ToWorker) => {
      const message = ownMemory(received)
      if (Array.isArray(message)) runLater(message)
      else if (message.type === 'close' || message.type === 'retire') process.exit(0)
      else if (message.type === 'inspect')
        post({ type: 'report', usage: readUsage({ osThreadId, cpuMs, hasOwnMemory: true }) })
      else server.control(message)
    })
    post({ type: 'ready' })
  },
  (error: unknown) => post({ type: 'start-failed', error: encodeThrown(error) }),
)

/** Runs each batch after all messages that have arrived were read: a cancellation may be right behind its call. */
function runInTurn(run: (batch: CallBatch) => void): (batch: CallBatch) => void {
  const batches: CallBatch[] = []
  const runNext = () => {
    const batch = batches.shift()!
    if (batches.length > 0) setImmediate(runNext)
    run(batch)
  }
  return (batch) => {
    if (batches.push(batch) === 1) setImmediate(runNext)
  }
}
