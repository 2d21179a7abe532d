// The store of a queue as a worker of it uses it.
//
//   take --> run --> BullMQ notes the end --> it is kept until ... --> its caller is told
//     '- every few seconds: writes something, and asks what listens; what gives no answer is replaced
//     '- when something is kept no longer: removes it

import type { Job, Queue, Worker } from 'bullmq'
import { isError } from '../../primitives/any-realm.js'
import { inTime } from '../core/lifecycle.js'
import type { StoreConnection } from './connection/connection.js'
import { isAnswer } from './connection/patience.js'
import { failedReason, lineOf } from '../queue/failed-reason.js'
import { finishPatiently } from './finish-patiently.js'
import { isSignedJob, signReason, signResult } from './job-signatures.js'
import type { TakenJob } from '../queue/job-runner.js'
import {
  problemOfJob,
  readToWorkers,
  WORKERS_CHANNEL,
  type JobData,
  type JobResult,
  type ToCaller,
  type ToWorkers,
} from '../queue/messages.js'
import { bullOptions, countJobs, makeQueue, openConnection, type Opened } from './open-store.js'
import type { ResolvedAddress } from './options.js'
import { storable } from '../queue/store-text.js'
import type { Seal } from './connection/seal.js'
import { createEnds, type Ends } from './tell-ends.js'
import { createSignOfLife } from './sign-of-life.js'
import type { StoreStatus, Taking, WorkerStore } from '../queue/store.js'
import { createSweeper } from './sweeper.js'
import { untrusted } from '../queue/unavailable.js'

/** How often a job may lose its lock: each job says so itself. */
const ANY_NUMBER = 1_000_000
const PARTING_MS = 1000

export async function openWorkerStore(
  settings: ResolvedAddress,
  onProblem: (problem: string) => void,
): Promise<WorkerStore> {
  const opened = await openConnection(settings, { onUp() {}, onProblem })
  const { marks, seal } = opened
  const status = { started: 0, startedAgain: 0, completed: 0, failed: 0 }
  const { queue: name } = settings
  const refused = (error: unknown) => warnOfRefusal(name, error)
  const life = createSignOfLife(opened, refused)
  const sweeper = createSweeper(marks)
  const tell = tellerOf(opened, refused)
  let worker: Worker | undefined
  let queue: Queue | undefined
  return {
    get status(): StoreStatus {
      return { ...status, ...life.now }
    },
    tell,
    listen: (listener) => listenToCallers(opened, listener),
    workersChannel: async () => (await seal).channel(WORKERS_CHANNEL),
    async take(taking) {
      const by = await seal
      queue = makeQueue(opened, name, false)
      const ends = createEnds({ ...opened, queue: name, seal: by, sweeper, tell })
      worker = createWorker(opened, name, { taking, by, ends })
      void warnOfRisks(opened)
      countJobsOf(worker, status)
      await begin(worker, ends)
      await life.start()
      sweeper.plan(0)
    },
    count: async () => (await seal, countJobs((queue ??= makeQueue(opened, name, true)), marks)),
    drain: async () => worker?.close(),
    async close() {
      life.stop()
      sweeper.stop()
      await closeSoon(opened, worker, queue)
    },
  }
}

async function begin(worker: Worker, ends: Ends): Promise<void> {
  await worker.waitUntilReady()
  ends.join()
  void worker.run().catch(() => {}) // told by 'error'
}

async function closeSoon({ connection }: Opened, worker?: Worker, queue?: Queue): Promise<void> {
  await inTime(Promise.resolve(worker?.close(true)), PARTING_MS).catch(() => {})
  void queue?.close().catch(() => {})
  connection.end()
  await stopRenewing(worker)
}

/** What cannot be told its caller finds out later, by asking. */
function tellerOf({ connection, seal }: Opened, refused: (error: unknown) => void): WorkerStore['tell'] {
  const publish = async (name: string, message: ToCaller) => {
    const by = await seal
    await Promise.all(by.tell(name, message).map(({ channel, text }) => connection.publish(channel, text)))
  }
  return (name, message) =>
    publish(name, message).catch((error: unknown) => {
      if (isReply(error)) refused(error)
    })
}

async function listenToCallers(
  { connection, seal }: Opened,
  listener: (message: ToWorkers) => void,
): Promise<void> {
  const by = await seal
  await connection.subscribe(by.channel(WORKERS_CHANNEL), (sealed) => {
    const text = by.open(WORKERS_CHANNEL, sealed)
    const message = text === undefined ? undefined : readToWorkers(text)
    if (message) listener(message)
  })
}

interface Counts {
  started: number
  startedAgain: number
  completed: number
  failed: number
}

function countJobsOf(worker: Worker, counts: Counts): void {
  worker.on('active', ({ attemptsStarted, attemptsMade }) => {
    counts.started++
    if (attemptsStarted - attemptsMade > 1) counts.startedAgain++
  })
  worker.on('completed', () => counts.completed++)
  worker.on('failed', () => counts.failed++)
}

/** BullMQ's close() gets there only once its jobs have ended and its store answers; until then a timer keeps the program alive. */
async function stopRenewing(worker: Worker | undefined): Promise<void> {
  const { lockManager } = (worker ?? {}) as unknown as { lockManager?: { close?(): Promise<void> } }
  await lockManager?.close?.()
}

interface Serving {
  readonly taking: Taking
  readonly by: Seal
  readonly ends: Ends
}

function createWorker(opened: Opened, queue: string, { taking, by, ends }: Serving): Worker {
  const { bullmq, connection } = opened
  const { places, lockDuration } = taking
  const run = async (job: Job) => {
    finishPatiently(job, () => worker.closing !== undefined)
    const isOurs = problemOfJob(job.data) === undefined
    if (isOurs) ends.watch(job, () => taking.isLeft(job.id!, job.timestamp)) // of what somebody else has put into the queue nobody hears
    try {
      const taken = await takenJob(job, opened)
      if (isOurs && !isSignedJob(taken, by)) throw untrusted(queue, `The job "${job.name}"`)
      if (isOurs && taken.data.retries === 0) await secureStart(job, queue, connection)
      return signResult(job.id!, await taking.run(taken), by)
    } catch (thrown) {
      throw asJobError(thrown, (reason) => signReason(job.id!, reason, by))
    }
  }
  // BullMQ tells of a job that it has taken, and then looks for another one before it starts the first: a way to the store and back.
  const running = new WeakMap<Job, Promise<JobResult>>()
  const start = (job: Job) => {
    const result = run(job)
    result.catch(() => {}) // BullMQ asks for it later
    running.set(job, result)
    return result
  }
  const process = (job: Job) => running.get(job) ?? start(job)
  const options = { autorun: false, concurrency: places, lockDuration, stalledInterval: lockDuration / 2 }
  const all = { ...bullOptions(connection), ...options, maxStalledCount: ANY_NUMBER }
  const worker = new bullmq.Worker(queue, process, all, connection.backend as never)
  worker.on('active', (job) => {
    if (job.deferredFailure === undefined) void start(job)
  })
  // It tries again by itself. While a right is missing it would take no job, and nobody would know.
  worker.on('error', (error) => {
    if (isReply(error)) warnOfRefusal(queue, error)
  })
  return worker
}

/** Throws where another server has given the job to others, or will: what this worker says of it is dropped. */
async function secureStart({ id, token }: Job, queue: string, { secure }: StoreConnection): Promise<void> {
  if (!secure || (await secure(queue, id!, token!))) return
  throw new Error('the server that gave this job has gone, and the next one has not given it')
}

/** How long ends are kept is not up to BullMQ, whatever an older caller has asked for: it would remove those of others, too. */
async function takenJob(job: Job, { connection, marks }: Opened): Promise<TakenJob> {
  Object.assign(job.opts, { removeOnComplete: false, removeOnFail: false, attempts: 1 })
  const { attemptsStarted, attemptsMade, timestamp: made, id, name: task } = job
  const isAgain = attemptsMade > 0 && attemptsStarted - attemptsMade > 1
  // One that has ended was retried by hand: its starts are counted anew. Mostly each of its lives had one.
  const before = isAgain ? await marks.startsAtEnd(id!) : undefined
  return {
    id: id!,
    task,
    data: job.data as JobData,
    made,
    lives: attemptsMade,
    starts: attemptsStarted - Math.max(attemptsMade, before ?? 0),
    ...(connection.backend && { isRemembered: true as const }),
  }
}

function isReply(error: unknown): boolean {
  return (isError(error) && error.name === 'ReplyError') || isAnswer(error)
}

/** Not where the user may not ask for settings, as with some providers. */
async function warnOfRisks({ connection }: Opened): Promise<void> {
  const risks = await connection.risks().catch(() => [])
  risks.forEach(warn)
}

function warnOfRefusal(queue: string, error: unknown): void {
  warn(`The store of queue "${queue}" refuses what a worker asks: ${(error as Error).message}`)
}

const warned = new Set<string>()
const MAX_WARNED = 1000

/** Each text once for a process. */
function warn(text: string): void {
  if (warned.has(text) || warned.size > MAX_WARNED) return
  warned.add(text)
  process.emitWarning(text, { type: 'ThreadwiseWarning', code: 'TW_WARN_STORE' })
}

/** BullMQ keeps the message and the stack of what a job throws; the stack would hold the message a second time. */
function asJobError(thrown: unknown, sign: (reason: string) => string): Error {
  const error = new Error(sign(storable(failedReason(thrown))))
  const { stack } = Object(thrown) as { stack?: unknown }
  error.stack = storable(typeof stack === 'string' ? stack : lineOf(thrown))
  return error
}
