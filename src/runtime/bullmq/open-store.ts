// The store of a queue by BullMQ, for each side.

import type * as BullMq from 'bullmq'
import type { Job, Queue, Worker } from 'bullmq'
import { inTime } from '../core/lifecycle.js'
import { connect } from './connection/connect.js'
import type { Connection, ConnectionEvents } from './connection/connection.js'
import { loadPackage } from './connection/load-package.js'
import { isAnswer } from './connection/patience.js'
import { failedReason, lineOf } from './failed-reason.js'
import {
  MAX_MESSAGE,
  readToCaller,
  readToWorkers,
  type JobData,
  type JobResult,
  type ToCaller,
} from './messages.js'
import type { ResolvedAddress } from './options.js'
import type { CallerStore, JobState, NewJob, QueueCounts, Taking, WorkerStore } from './store.js'

/** Events that BullMQ keeps for each queue, with results in them; nothing here reads them. */
const KEPT_EVENTS = 1000
/** How often a job may lose its lock: each job says so itself. */
const ANY_NUMBER = 1_000_000
/** Of jobs in the order of their numbers; BullMQ has 1 for those that go first, and runs jobs without one before them. */
const LOWEST_PRIORITY = 21
const PARTING_MS = 1000
/** Jobs of which it is asked since when they wait. */
const MAX_ASKED = 1000

export interface StoreSettings extends ResolvedAddress {
  /** Milliseconds for which it is kept what became of a job. */
  readonly keepResults?: number
}

/** Where messages to a caller, and to all workers, are told. */
export function channelOf({ queue, prefix = 'bull' }: ResolvedAddress): (caller: string) => string {
  return (caller) => `${prefix}:${queue}:threadwise:to:${caller}`
}

function workersChannel({ queue, prefix = 'bull' }: ResolvedAddress): string {
  return `${prefix}:${queue}:threadwise:workers`
}

export function openCallerStore(settings: StoreSettings): (events: ConnectionEvents) => Promise<CallerStore> {
  return async (events) => {
    const { Queue } = await loadPackage<typeof BullMq>('bullmq')
    const connection = await connect(settings.connection, settings.prefix, events)
    const options = { ...bullOptions(connection), streams: { events: { maxLen: KEPT_EVENTS } } }
    const queue = new Queue(settings.queue, options, connection.backend as never)
    queue.on('error', () => {}) // it tries again by itself
    return callerStore(queue, connection, settings)
  }
}

function bullOptions({ connection, prefix }: Connection) {
  return { connection: connection as never, ...(prefix !== undefined && { prefix }), skipVersionCheck: true }
}

function callerStore(queue: Queue, connection: Connection, settings: StoreSettings): CallerStore {
  const { keepResults = 0 } = settings
  const keep = { age: Math.ceil(keepResults / 1000) }
  const optionsOf = ({ id, priority }: NewJob) => ({
    ...{ jobId: id, priority: LOWEST_PRIORITY - priority, attempts: 1, stackTraceLimit: 1 },
    ...{ removeOnComplete: keep, removeOnFail: keep },
  })
  return {
    async add(jobs) {
      await queue.addBulk(jobs.map((job) => ({ name: job.task, data: job.data, opts: optionsOf(job) })))
    },
    look: (ids) => Promise.all(ids.map((id) => lookAt(queue, id))),
    taskOf: async (id) => (await queue.backend.getJobData(id))?.name,
    withdraw: (id) => withdraw(queue, id),
    tellWorkers: async (message) => {
      await connection.publish(workersChannel(settings), JSON.stringify(message))
    },
    async listen(channel, listener) {
      const stop = await connection.subscribe(channel, (text) => {
        const message = readToCaller(text)
        if (message) listener(message)
      })
      return { stop }
    },
    count: () => count(queue),
    close: () => closeSoon(queue, connection),
  }
}

/** As BullMQ's script tells it. */
const IS_OPEN = 0
const IS_MISSING = -1
const IS_COMPLETED = 1

async function lookAt(queue: Queue, id: string): Promise<JobState> {
  const [status, value] = (await queue.backend.isFinished(id, true)) as [number, string]
  if (status === IS_OPEN) return { state: 'open' }
  if (status === IS_MISSING) return { state: 'missing' }
  if (status === IS_COMPLETED) return { state: 'completed', result: JSON.parse(value) as JobResult }
  return { state: 'failed', reason: value }
}

/** Whoever has taken it holds a lock, which keeps it. */
async function withdraw(queue: Queue, id: string): Promise<boolean> {
  const state = await queue.backend.getState(id)
  if (state !== 'waiting' && state !== 'prioritized' && state !== 'delayed') return false
  return (await queue.remove(id)) === 1
}

async function count(queue: Queue): Promise<QueueCounts> {
  const types = ['waiting', 'prioritized', 'active', 'completed', 'failed'] as const
  const { waiting, prioritized, active, completed, failed } = (await queue.getJobCounts(...types)) as Record<
    (typeof types)[number],
    number
  >
  const jobs = await queue.getJobs(['waiting', 'prioritized'], 0, MAX_ASKED, true)
  const first = Math.min(...jobs.map(({ timestamp }) => timestamp))
  const oldestMs = jobs.length === 0 ? null : Math.max(0, Date.now() - first)
  return { waiting: waiting + prioritized, running: active, completed, failed, oldestMs }
}

export async function openWorkerStore(
  settings: ResolvedAddress,
  onProblem: (problem: string) => void,
): Promise<WorkerStore> {
  const bullmq = await loadPackage<typeof BullMq>('bullmq')
  const connection = await connect(settings.connection, settings.prefix, { onUp() {}, onProblem })
  const status = { completed: 0, failed: 0 }
  let worker: Worker | undefined
  const tell = (channel: string, message: ToCaller) =>
    void connection.publish(channel, JSON.stringify(message)).catch(() => {}) // it was closed
  return {
    get status() {
      return { ...status, isConnected: connection.isUp }
    },
    async listen(listener) {
      await connection.subscribe(workersChannel(settings), (text) => {
        const message = readToWorkers(text)
        if (message) listener(message)
      })
    },
    tell,
    async take(taking) {
      worker = createWorker(bullmq, settings, { connection, taking })
      void warnOfRisks(connection)
      tellOutcomes(worker, status, tell)
      void worker.run().catch(() => {}) // told by 'error'
      await worker.waitUntilReady()
    },
    async drain() {
      await worker?.close()
    },
    async close() {
      await inTime(Promise.resolve(worker?.close(true)), PARTING_MS).catch(() => {})
      connection.end()
      await stopRenewing(worker)
    },
  }
}

function tellOutcomes(
  worker: Worker,
  status: { completed: number; failed: number },
  tell: WorkerStore['tell'],
): void {
  worker.on('completed', (job, result: JobResult) => {
    status.completed++
    tell(replyOf(job), ended(job.id!, { type: 'done', id: job.id!, result }))
  })
  worker.on('failed', (job) => {
    status.failed++
    const reason = job?.failedReason ?? ''
    if (job) tell(replyOf(job), ended(job.id!, { type: 'failed', id: job.id!, reason }))
  })
}

/** BullMQ's close() gets there only once its jobs have ended and its store answers; until then a timer keeps the program alive. */
async function stopRenewing(worker: Worker | undefined): Promise<void> {
  const { lockManager } = (worker ?? {}) as unknown as { lockManager?: { close?(): Promise<void> } }
  await lockManager?.close?.()
}

function createWorker(
  { Worker }: typeof BullMq,
  { queue }: ResolvedAddress,
  { connection, taking }: { connection: Connection; taking: Taking },
): Worker {
  const { places, lockDuration, run } = taking
  const process = async (job: Job) => {
    const data = job.data as JobData
    try {
      return await run({ id: job.id!, task: job.name, data, starts: job.attemptsStarted })
    } catch (thrown) {
      throw asJobError(thrown)
    }
  }
  const options = { autorun: false, concurrency: places, lockDuration, stalledInterval: lockDuration / 2 }
  const all = { ...bullOptions(connection), ...options, maxStalledCount: ANY_NUMBER }
  const worker = new Worker(queue, process, all, connection.backend as never)
  // It tries again by itself. While a right is missing it would take no job, and nobody would know.
  worker.on('error', (error) => {
    if (isReply(error)) warn(`The store of queue "${queue}" refuses what a worker asks: ${error.message}`)
  })
  return worker
}

function isReply(error: Error): boolean {
  return error.name === 'ReplyError' || isAnswer(error)
}

/** Not where the user may not ask for settings, as with some providers. */
async function warnOfRisks(connection: Connection): Promise<void> {
  const risks = await connection.risks().catch(() => [])
  risks.forEach(warn)
}

const warned = new Set<string>()

/** Each text once for a process. */
function warn(text: string): void {
  if (warned.has(text)) return
  warned.add(text)
  process.emitWarning(text, { type: 'ThreadwiseWarning', code: 'TW_WARN_STORE' })
}

/** BullMQ keeps the message and the stack of what a job throws; the stack would hold the message a second time. */
function asJobError(thrown: unknown): Error {
  const error = new Error(storable(failedReason(thrown)))
  const { stack } = Object(thrown) as { stack?: unknown }
  error.stack = storable(typeof stack === 'string' ? stack : lineOf(thrown))
  return error
}

/** A text of PostgreSQL has no NUL. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd')
}

function replyOf({ data }: Job): string {
  return (data as Partial<JobData> | null)?.reply ?? ''
}

function ended(id: string, message: ToCaller): ToCaller {
  const size = message.type === 'done' ? message.result.payload.length : JSON.stringify(message).length
  return size <= MAX_MESSAGE ? message : { type: 'ended', id }
}

async function closeSoon(queue: Queue, connection: Connection): Promise<void> {
  await inTime(queue.close(), PARTING_MS).catch(() => {})
  connection.end()
}
