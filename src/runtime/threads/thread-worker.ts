// The parent's side of one worker thread.

import { Worker, type MessagePort, type WorkerOptions } from 'node:worker_threads'
import { ownOptions } from '../../errors/check-options.js'
import { describe } from '../../errors/errors.js'
import { importsFirst, workerEnv } from '../pool/workers/inherited-options.js'
import type { Call } from '../pool/calls/call.js'
import {
  outsideError,
  type Channel,
  type PoolWorker,
  type WorkerEvents,
  type WorkerExit,
  type WorkerIds,
} from '../pool/workers/worker.js'
import type { WorkerSettings } from '../pool/pool-options.js'
import { createPrinter } from '../pool/workers/print-output.js'
import { unwrap, WAKE } from '../wire/messages.js'
import { machineNow } from '../wire/machine-clock.js'
import type { SharedQueue } from '../shared-memory/main/shared-queue.js'
import type { WorkerEndpoint } from '../shared-memory/main/worker-endpoint.js'
import { BY_MESSAGE } from '../wire/codec/packet.js'
import { countCopies, createCopyCollector } from './young-collection.js'
import { CANCELLED, createCallCounters, STARTED } from './call-counters.js'
import { takeBack } from './take-back.js'
import { isError } from '../../primitives/any-realm.js'
import { PROGRAM_NAME } from '../../primitives/eval-globals.js'
import { MODULE_OF_THREAD, PROGRAM_OF_THREAD } from '../../primitives/run-text.js'
import { taskModules } from '../../primitives/task-modules.js'
import threadCode from './thread-entry.js?code'
import type { ThreadData } from './thread-data.js'
import { outputOptions, passOn } from './thread-output.js'
import { createPorts, receiveLast, type Port } from './thread-port.js'
import { captureStack } from './thread-stack.js'

/** Of all pools of this thread. */
const collectCopies = createCopyCollector(machineNow)

export function startThread(
  settings: WorkerSettings,
  ids: WorkerIds,
  events: WorkerEvents,
  queue?: SharedQueue<Call>,
): PoolWorker {
  const counters = createCallCounters()
  const endpoint = queue?.createEndpoint({ ...events, post: (message) => port.postMessage(message) })
  const { module, name, maxHeapBytes, sideBySide, carriedData } = settings
  const memory = { counters: counters?.buffer, init: endpoint && queue!.initFor(endpoint) }
  const data = { module, parents: taskModules(), name, ...ids, maxHeapBytes, sideBySide, ...memory }
  const { worker, own } = startWorker(settings, { ...data, given: carriedData.ofMessage })
  const port: Port = own ?? worker
  let unreadable: WorkerExit | undefined
  const onUnreadable = (reason: string) =>
    (unreadable = { how: `because it cannot read a message (${describe(reason)})`, blame: 'message' })
  const { threadId } = worker // -1 once it has ended
  if (endpoint) queue!.addWorker(endpoint)
  const printer = createPrinter(settings.output, `${name}-${ids.id}`)
  const onMessage = receiver(endpoint, events, { queue, onUnreadable })
  port.on('message', onMessage)
  onEnd(worker, port, (exit) => {
    if (own) receiveLast(own, onMessage)
    printer.end()
    events.onExit(unreadable ?? exit, endpoint && queue!.removeWorker(endpoint))
  })
  worker.unref() // see lifecycle.ts; only now, since adding a 'message' listener references the worker again
  own?.unref()
  return {
    channel: createChannel(port, counters, { endpoint, queue }),
    identity: { ...ids, name: `${name}-${ids.id}`, threadId },
    ...(endpoint && viewOf(endpoint, queue!)),
    captureStack: () => captureStack(threadId),
    print(message) {
      printer.print(message)
      endpoint?.notePrinted()
    },
    terminate: () => terminate(worker, endpoint),
    ...(counters && { takeBack: (...ended) => takeBack(counters, ...ended) }),
  }
}

function terminate(worker: Worker, endpoint: WorkerEndpoint<Call> | undefined): void {
  if (endpoint) {
    endpoint.isRetired = true // whoever wakes it for a call wakes nobody
    endpoint.clearLoad() // nor do others leave calls to it
  }
  void worker.terminate()
}

function viewOf(endpoint: WorkerEndpoint<Call>, queue: SharedQueue<Call>) {
  return {
    currentCall: () => endpoint.currentCall,
    currentMs: () => endpoint.currentMs,
    isTaking: () => endpoint.isAwake && queue.hasCalls,
    onQueuedReply: endpoint.onMessageReply,
    onUp: endpoint.onUp,
  }
}

/** Of a worker that also takes calls from the shared queue. */
interface Ways {
  readonly endpoint: WorkerEndpoint<Call> | undefined
  readonly queue: SharedQueue<Call> | undefined
}

function createChannel(port: Port, counters: Int32Array | undefined, { endpoint, queue }: Ways): Channel {
  const count = countCopies(() => port.postMessage({ type: 'collect' }))
  return {
    carrier: BY_MESSAGE,
    send(message, transfer) {
      count(transfer)
      const type = Array.isArray(message) ? 'calls' : message.type
      if (endpoint && type === 'retire') endpoint.isRetired = true
      port.postMessage(message, transfer as never)
      if (counters && type === 'cancel') Atomics.add(counters, CANCELLED, 1)
      endpoint?.ringDoorbell()
      queue?.onMessage()
    },
    ...(counters && { startedCalls: () => Atomics.load(counters, STARTED) }),
  }
}

interface Shared {
  readonly queue: SharedQueue<Call> | undefined
  readonly onUnreadable: (reason: string) => void
}

function receiver(endpoint: WorkerEndpoint<Call> | undefined, events: WorkerEvents, shared: Shared) {
  return (received: unknown): void => {
    if (received === WAKE) return shared.queue?.wake()
    const replies = endpoint?.drain() ?? 0 // what the ring holds is older than the message
    deliver(received, events, shared)
    if (replies > 0) shared.queue!.onRoom() // whatever the message was: calls may wait for the places of those that have ended
  }
}

function deliver(received: unknown, events: WorkerEvents, { queue, onUnreadable }: Shared): void {
  const message = unwrap(received)
  if (!message) return events.onForeign?.(received)
  const type = Array.isArray(message) ? 'replies' : message.type
  if (!Array.isArray(message) && message.type === 'unreadable') return onUnreadable(message.reason)
  if (type === 'collect') return collectCopies()
  events.onMessage(message)
  if (type === 'ready') queue?.wake() // it may have answered calls since
  if (type === 'retired') queue?.onRetired()
}

/** `own`: the pool's end of a channel, where the worker's own port will not do. */
function startWorker(settings: WorkerSettings, data: ThreadData): { worker: Worker; own?: MessagePort } {
  const ports = createPorts()
  const ownData = ports ? { ...data, port: ports.far } : data
  const options = workerOptions(settings, ownData)
  const worker = new Worker(options.eval ? PROGRAM_OF_THREAD : MODULE_OF_THREAD, options)
  if (passOn(worker, settings.output, `${data.name}-${data.id}`))
    return { worker, ...(ports && { own: ports.near }) }
  void worker.on('error', () => {}).terminate() // Node itself is still starting there
  return startWorker(settings, data)
}

function workerOptions(settings: WorkerSettings, data: ThreadData): WorkerOptions {
  const { name, argv, execArgv, resourceLimits } = settings
  const env = workerEnv(settings.env)
  return ownOptions({
    eval: !importsFirst(execArgv, env),
    workerData: { ...data, code: threadCode },
    ...(data.port && { transferList: [data.port] }),
    ...outputOptions(),
    name: `${name}-${data.id}`,
    env,
    argv: [PROGRAM_NAME, ...argv],
    ...(execArgv && { execArgv: [...execArgv] }),
    ...(resourceLimits && { resourceLimits }),
  })
}

function onEnd(worker: Worker, port: Port, callback: (exit: WorkerExit) => void): void {
  let cause: unknown
  // A message that cannot be read here carries the results of unknown calls: without the worker they settle as lost.
  port.on('messageerror', (error) => {
    cause = error
    void worker.terminate()
  })
  worker.on('error', (error) => (cause = error))
  worker.on('exit', (code) => callback(describeExit(code, cause)))
}

function describeExit(code: number, cause: unknown): WorkerExit {
  const exit = { how: `with exit code ${code}` }
  if (cause === undefined) return exit
  if (isOutOfMemory(cause)) return { how: 'because it ran out of memory', cause, blame: 'memory' }
  return outsideError(cause)
}

function isOutOfMemory(cause: unknown): boolean {
  // Whatever was thrown outside of a task arrives here, null too.
  return isError(cause) && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
}
