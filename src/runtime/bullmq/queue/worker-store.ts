// The store of a queue as a worker of it uses it.
//
//   take --> run --> BullMQ notes the end --> it is kept until ... --> its caller is told
//     '- every few seconds: writes something, and asks what listens; what gives no answer is replaced
//     '- when something is kept no longer: removes it

import type { Job, Queue, Worker } from 'bullmq'
import { isError } from '../../../primitives/any-realm.js'
import { inTime } from '../../core/lifecycle.js'
import { isAnswer } from '../connection/patience.js'
import { failedReason, lineOf } from '../failed-reason.js'
import { finishPatiently } from './finish-patiently.js'
import { isSignedJob, signReason, signResult, withoutSignature } from '../job-signatures.js'
import type { TakenJob } from '../job-runner.js'
import {
  problemOfJob,
  readToWorkers,
  WORKERS,
  type JobData,
  type JobResult,
  type ToCaller,
  type ToWorkers,
} from '../messages.js'
import { bullOptions, countJobs, makeQueue, openConnection, type Opened } from '../open-store.js'
import type { ResolvedAddress } from '../options.js'
import { storable } from '../preview.js'
import type { Seal } from '../connection/seal.js'
import { createSignOfLife } from './sign-of-life.js'
import type { StoreStatus, Taking, WorkerStore } from '../store.js'
import { createSweeper, type Sweeper } from './sweeper.js'
import { untrusted } from '../unavailable.js'

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
    ...{ tell, listen: (listener) => listenToCallers(opened, listener) },
    workersChannel: async () => (await seal).channel(WORKERS),
    async take(taking) {
      const by = await seal
      queue = makeQueue(opened, name, false)
      worker = createWorker(opened, name, { taking, by })
      void warnOfRisks(opened)
      tellEnds(worker, { opened, sweeper, tell, status })
      void worker.run().catch(() => {}) // told by 'error'
      await worker.waitUntilReady()
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
  await connection.subscribe(by.channel(WORKERS), (sealed) => {
    const text = by.open(WORKERS, sealed)
    const message = text === undefined ? undefined : readToWorkers(text)
    if (message) listener(message)
  })
}

function keepEnd(job: Job, { opened, sweeper }: { opened: Opened; sweeper: Sweeper }): void {
  const { keep, unseen } = job.data as JobData
  const ended = { id: job.id!, ms: Math.max(keep, unseen), starts: job.attemptsStarted }
  void opened.marks.keep([ended]).catch(() => {}) // a later sweep finds it
  sweeper.plan(keep)
}

interface Ending {
  readonly opened: Opened
  readonly sweeper: Sweeper
  readonly tell: WorkerStore['tell']
  readonly status: { started: number; startedAgain: number; completed: number; failed: number }
}

/** Of a job that somebody else has put into the queue nobody hears. */
function tellEnds(worker: Worker, { opened, sweeper, tell, status }: Ending): void {
  const end = (job: Job, message: ToCaller, size: number) => {
    keepEnd(job, { opened, sweeper })
    const isWhole = size <= opened.connection.maxMessage
    void tell((job.data as JobData).reply, isWhole ? message : { type: 'ended', id: job.id! })
  }
  worker.on('active', ({ attemptsStarted, attemptsMade }) => {
    status.started++
    if (attemptsStarted - attemptsMade > 1) status.startedAgain++
  })
  worker.on('completed', (job, result: JobResult) => {
    status.completed++
    if (problemOfJob(job.data) !== undefined) return
    end(job, { type: 'done', id: job.id!, result }, result.payload.length)
  })
  worker.on('failed', (job) => {
    status.failed++
    if (!job || problemOfJob(job.data) !== undefined) return
    const reason = withoutSignature(job.failedReason ?? '')
    end(job, { type: 'failed', id: job.id!, reason }, JSON.stringify(reason).length)
  })
}

/** BullMQ's close() gets there only once its jobs have ended and its store answers; until then a timer keeps the program alive. */
async function stopRenewing(worker: Worker | undefined): Promise<void> {
  const { lockManager } = (worker ?? {}) as unknown as { lockManager?: { close?(): Promise<void> } }
  await lockManager?.close?.()
}

function createWorker(opened: Opened, queue: string, { taking, by }: { taking: Taking; by: Seal }): Worker {
  const { bullmq, connection } = opened
  const { places, lockDuration, run } = taking
  const process = async (job: Job) => {
    finishPatiently(job, () => worker.closing !== undefined)
    try {
      const taken = await takenJob(job, opened)
      if (!isSignedJob(taken, by)) throw untrusted(queue, `The job "${job.name}"`)
      return signResult(job.id!, await run(taken), by)
    } catch (thrown) {
      throw asJobError(thrown, (reason) => signReason(job.id!, reason, by))
    }
  }
  const options = { autorun: false, concurrency: places, lockDuration, stalledInterval: lockDuration / 2 }
  const all = { ...bullOptions(connection), ...options, maxStalledCount: ANY_NUMBER }
  const worker = new bullmq.Worker(queue, process, all, connection.backend as never)
  // It tries again by itself. While a right is missing it would take no job, and nobody would know.
  worker.on('error', (error) => {
    if (isReply(error)) warnOfRefusal(queue, error)
  })
  return worker
}

/** How long ends are kept is not up to BullMQ, whatever an older caller has asked for: it would remove those of others, too. */
async function takenJob(job: Job, { connection, marks }: Opened): Promise<TakenJob> {
  Object.assign(job.opts, { removeOnComplete: false, removeOnFail: false })
  const { attemptsStarted, attemptsMade, timestamp: made, id, name: task } = job
  const isAgain = attemptsMade > 0 && attemptsStarted - attemptsMade > 1
  // One that has ended was retried by hand: its starts are counted anew. Mostly each of its lives had one.
  const before = isAgain ? await marks.startsAtEnd(id!) : undefined
  return {
    ...{ id: id!, task, data: job.data as JobData, made, lives: attemptsMade },
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
