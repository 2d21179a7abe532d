// Runs the jobs that a worker has taken, in its pool, and says what has become of each.

import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import type { Executor, RunOptions } from '../executor/executor.js'
import { runInContexts } from '../task/define-context.js'
import { RESERVED } from '../task/task-function.js'
import { apart } from '../wire/codec/apart.js'
import { machineNow } from '../wire/machine-clock.js'
import { readArguments, writeJobResult, writeJobValue } from './call-payload.js'
import { readFailedReason } from './failed-reason.js'
import { createJobProgress, type JobProgress } from './job-progress.js'
import { problemOfJob, VERSION, type JobData, type JobResult, type ToWorkers } from './messages.js'

export interface TakenJob {
  readonly id: string
  readonly task: string
  readonly data: JobData
  /** How often a worker has taken it, with this time, since it was added or was retried by hand. */
  readonly starts: number
  /** By the store's clock: an id may be used again. */
  readonly made: number
  /** How often it has ended, and was retried by hand. */
  readonly lives: number
  /** The store forgets no start. */
  readonly isRemembered?: true
}

export interface JobRunnerOptions {
  readonly pool: Executor
  readonly queue: string
  /** Values of contexts that each job has besides those of its caller. */
  readonly contexts?: () => readonly unknown[]
  /** Sends a progress value to the caller of a job; a promise resolves when it is out. */
  readonly tellProgress: (job: TakenJob, payload: string) => void | Promise<void>
}

type Cancel = Omit<Extract<ToWorkers, { readonly type: 'cancel' }>, 'type'>

interface RunningJob {
  readonly made: number
  readonly controller: AbortController
  readonly result: Promise<JobResult>
}

/** Ids that are remembered of jobs that have started, or were cancelled, here. */
const MAX_REMEMBERED = 10_000

export class JobRunner {
  readonly #options: JobRunnerOptions
  readonly #running = new Map<string, RunningJob>()
  readonly #started = new Set<string>()
  /** Cancelled before they came here, and why; by id, and by job where it is known which one. */
  readonly #cancelled = new Map<string, string>()
  /** Cancelled with the last of their callers. */
  readonly #left = new Set<string>()
  #isOver = false

  #abandon!: (reason: Error) => void
  readonly #abandoned = new Promise<never>((_, reject) => (this.#abandon = reject))

  constructor(options: JobRunnerOptions) {
    this.#options = options
    this.#abandoned.catch(() => {}) // there may be nobody to tell
  }

  get running(): number {
    return this.#running.size
  }

  /** Jobs that run are left as if this worker had died: neither completed nor failed. */
  giveUp(): void {
    this.#isOver = true
  }

  /** To be called when the store cannot be reached any more: BullMQ waits for its jobs, and keeps its timers for so long. */
  letGo(): void {
    this.#abandon(new Error('this worker was closed'))
  }

  /** Rejects with what the job fails with. */
  async run(job: TakenJob): Promise<JobResult> {
    try {
      return await this.#run(job)
    } catch (error) {
      if (this.#isOver) return this.#abandoned
      throw error
    }
  }

  /** `made`: of which job with that id. */
  cancel({ id, reason, made, isLeft }: Cancel): void {
    if (isLeft) remember(this.#left, (all) => all.add(nameOf(id, made)))
    const running = this.#running.get(id)
    if (!running) return remember(this.#cancelled, (all) => all.set(nameOf(id, made), reason))
    if (made === undefined || made === running.made) running.controller.abort(readFailedReason(reason))
  }

  isLeft(id: string, made: number): boolean {
    return this.#left.has(nameOf(id, made))
  }

  async #run(job: TakenJob): Promise<JobResult> {
    const { id, made, lives } = job
    checkForm(job)
    // This process was held up for so long that its lock ran out, and has got its own job again.
    const own = this.#running.get(id)
    if (own) return own.result
    this.#checkStarts(job)
    const reason = this.#cancelled.get(nameOf(id, made)) ?? this.#cancelled.get(nameOf(id))
    if (reason !== undefined && lives === 0) throw readFailedReason(reason)
    remember(this.#started, (all) => all.add(lifeOf(job)))
    const controller = new AbortController()
    const result = this.#resultOf(job, controller.signal)
    this.#running.set(id, { made, controller, result })
    try {
      return await result
    } finally {
      this.#running.delete(id)
    }
  }

  async #resultOf(job: TakenJob, signal: AbortSignal): Promise<JobResult> {
    const { task, data } = job
    const since = machineNow()
    const progress = this.#progressOf(job)
    const value = await this.#call(job, signal, progress).finally(() => progress?.flush())
    const whole = data.each ? answerApart(value as EachAnswer) : value
    return { ...writeJobResult(task, whole, data.maxPayload), ms: machineNow() - since }
  }

  /** As often as it may start: a thread or process of the pool may die too. */
  async #call(job: TakenJob, signal: AbortSignal, progress: JobProgress | undefined): Promise<unknown> {
    const { task, data, starts } = job
    const { args, values } = readArguments(task, data)
    const { pool } = this.#options
    const { timeout, gracePeriod, warnAfter } = data
    const onProgress = progress && { onProgress: progress.tell }
    const options: RunOptions = { signal, timeout, gracePeriod, warnAfter, ...onProgress }
    const call = () =>
      data.each ? pool.run(`${RESERVED}each:${task}`, [args], options) : pool.run(task, [...args], options)
    for (let start = starts; ; start++) {
      try {
        return await runInContexts([...(values ?? []), ...(this.#options.contexts?.() ?? [])], call)
      } catch (error) {
        if (isWorkerExit(error) && start <= data.retries && !signal.aborted) continue
        throw data.each ? namedAsCalled(error) : error
      }
    }
  }

  #progressOf(job: TakenJob): JobProgress | undefined {
    if (!job.data.progress) return undefined
    const what = { what: 'A progress value', root: 'progress', task: job.task }
    const write = (value: unknown) => writeJobValue(value, what)
    return createJobProgress(write, (payload) => this.#options.tellProgress(job, payload))
  }

  /** A worker that dies leaves its jobs to the others: each starts only as often as its call allows. */
  #checkStarts(job: TakenJob): void {
    const { task, data, starts, isRemembered } = job
    const { retries } = data
    // A store that has lost its last second gives a job again, and has forgotten that it did.
    const isKnown = retries === 0 && !isRemembered && this.#started.has(lifeOf(job))
    if (starts <= 1 + retries && !isKnown) return
    const how = `without an answer (queue ${this.#options.queue})`
    const rest = 'another worker has noticed.'
    throw new ThreadwiseError('TW_ERR_WORKER_EXITED', { task, how, rest, tries: Math.max(1, starts - 1) })
  }
}

interface EachAnswer {
  readonly results: readonly unknown[]
}

/** Each result belongs to a call of its own. */
function answerApart(answer: EachAnswer): EachAnswer {
  return { ...answer, results: apart(answer.results) }
}

/** @throws TW_ERR_INVALID_CALL for a job that no caller of this version has written */
function checkForm({ task, data }: TakenJob): void {
  const call = `The job "${task}"`
  const { v } = Object(data) as Partial<JobData>
  if (v !== VERSION) {
    const expected = `to come from a program with this version of threadwise (form ${VERSION})`
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected, received: v })
  }
  const problem = problemOfJob(data)
  if (problem === undefined) return
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call,
    expected: 'one that a caller of this queue has made',
    received: problem,
  })
}

/** Which job it is, of those that had its id. */
function nameOf(id: string, made?: number): string {
  return made === undefined ? id : `${id}@${made}`
}

function lifeOf({ id, made, lives }: TakenJob): string {
  return `${nameOf(id, made)}#${lives}`
}

/** The pool has called a task of ours, which calls the user's. */
function namedAsCalled(error: unknown): unknown {
  if (isThreadwiseError(error)) error.message = error.message.replaceAll(`"${RESERVED}each:`, '"')
  return error
}

function isWorkerExit(error: unknown): boolean {
  return isThreadwiseError(error) && error.code === 'TW_ERR_WORKER_EXITED'
}

/** The oldest one goes when there are too many. */
function remember<All extends Map<string, unknown> | Set<string>>(all: All, add: (all: All) => void): void {
  add(all)
  if (all.size <= MAX_REMEMBERED) return
  const [oldest] = all.keys()
  all.delete(oldest!)
}
