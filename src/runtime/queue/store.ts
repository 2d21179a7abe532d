// What both sides need of the store of a queue, whatever keeps it.
//
//   caller   add ─> (a worker) ─> told by message, or found by look ─> release
//   worker   take ─> run ─> the store keeps the end, and tells `done` or `failed` to the channel `data.reply`; the job's own task tells nobody
//
// A store keeps its promises by itself: jobs of a higher priority are taken first, and every so often one of a lower; a job whose worker shows no
// sign of life for `lockDuration` is taken by another one, as often as `data.retries` says, and has failed then; an end is kept for `data.unseen`
// milliseconds, and once it is released for those that release() names. Until then look() never says that the job is missing.

import type { TakenJob } from './job-runner.js'
import type { JobData, JobResult, ToCaller, ToWorkers } from './messages.js'

/** What a store keeps of it are these fields: a caller's own call may come with more. */
export interface NewJob {
  readonly id: string
  readonly task: string
  readonly data: JobData
  /** From -20 to 20, as that of a call. */
  readonly priority: number
  /** Milliseconds since 1970 by the store's clock. */
  readonly made: number
  /** What its task and arguments give, where somebody else may use its id. */
  readonly of: string | undefined
}

/**
 * 'added': it is there, now or since before. 'known': one with that id, made no earlier, has gone. 'late': it was made too long ago to know.
 */
export type Added = 'added' | 'known' | 'late'

export interface KeptJob {
  readonly id: string
  /** Milliseconds from now. */
  readonly ms: number
  /** How often it was started until then. */
  readonly starts?: number
}

/** `made`: somebody has taken it, and this is when it was made. */
export type Withdrawal =
  { readonly state: 'withdrawn' | 'over' } | { readonly state: 'taken'; readonly made: number }

/** What has become of a job. */
export type JobState =
  | { readonly state: 'open' }
  /** There is no such job. */
  | { readonly state: 'missing' }
  /** It was taken back before anybody has started it. */
  | { readonly state: 'withdrawn' }
  | { readonly state: 'completed'; readonly result: JobResult }
  | { readonly state: 'failed'; readonly reason: string }
  /** What it left was not written by a worker of ours. */
  | { readonly state: 'foreign'; readonly what: string }

export interface JobOwner {
  readonly task: string
  readonly of: string | undefined
  /** A worker has it, or had it. */
  readonly isTaken: boolean
}

export interface StoreEvents {
  /** It can be reached again: messages may have been missed. */
  readonly onUp: () => void
  /** Why it cannot be reached, or refuses: a wrong password, another protocol. It is tried again. Empty: that is over. */
  readonly onProblem: (problem: string) => void
}

/** What errors of a store mean: each has words of its own. */
export interface StoreErrors {
  /** It may write again later, by itself. 'full': not before there is room. */
  readonly whyRefused: (error: unknown) => 'for now' | 'full' | undefined
  /** The connection ended before an answer came: it may have been done. */
  readonly isBrokenOff: (error: unknown) => boolean
  /** What to look at, in a sentence. */
  readonly adviceFor: (error: unknown) => string
}

/** The caller's side. While the store cannot be reached, promises stay open. */
export interface CallerStore {
  /** How often a connection broke: what was asked meanwhile may have been done twice. */
  readonly breaks: number
  /** By the store's clock, as far as it was told. */
  now(): number
  /** Asks for its clock. */
  readClock(): Promise<void>
  /** Rejects when the store refuses them, or some of them: it has no memory left, for instance. */
  add(jobs: readonly NewJob[]): Promise<readonly Added[]>
  look(ids: readonly string[]): Promise<readonly JobState[]>
  /** Whose job it is; undefined: there is no such job. */
  ownerOf(id: string): Promise<JobOwner | undefined>
  /** Takes a job back that nobody has started. */
  withdraw(id: string): Promise<Withdrawal>
  /** Their callers know what has become of them. */
  release(seen: readonly KeptJob[]): Promise<void>
  /** Rejects when it takes no writes. */
  write(): Promise<void>
  /** Connects anew. */
  replace(): void
  tellWorkers(message: ToWorkers): Promise<void>
  /** What tells this queue from all others. */
  workersChannel(): Promise<string>
  /** To all that listen to that name. */
  tell(name: string, message: ToCaller): Promise<void>
  /** Until `stop` is called. */
  listen(name: string, listener: (message: ToCaller) => void): Promise<{ readonly stop: () => void }>
  /** What the queue holds. */
  count(): Promise<QueueCounts>
  /** Resolves within a second or so, whatever state the connection is in. */
  close(): Promise<void>
}

/** What a queue holds. */
export interface QueueCounts {
  readonly waiting: number
  readonly running: number
  /** Of those that are kept still. */
  readonly completed: number
  readonly failed: number
  /** Milliseconds since the first of those that wait was added; null: none waits. */
  readonly oldestMs: number | null
  /** No job is started until it goes on. */
  readonly isPaused: boolean
}

/** The worker's side. */
export interface WorkerStore {
  readonly status: StoreStatus
  workersChannel(): Promise<string>
  /** To what callers tell all workers. */
  listen(listener: (message: ToWorkers) => void): Promise<void>
  /** Kept until the store can be reached. */
  tell(name: string, message: ToCaller): Promise<void>
  /** Takes jobs from now on, and tells each caller what has become of its job. Resolves when the first one may come. */
  take(taking: Taking): Promise<void>
  count(): Promise<QueueCounts>
  /** Takes no more jobs; resolves when those that run have ended. */
  drain(): Promise<void>
  /** Resolves within a second or so, whatever state the connection is in. */
  close(): Promise<void>
}

export interface Taking {
  /** Jobs at a time. */
  readonly places: number
  /** Milliseconds without a sign of life after which others take over. */
  readonly lockDuration: number
  readonly run: (job: TakenJob) => Promise<JobResult>
  /** It was cancelled with the last of its callers: nobody is to get what it fails with. `made`: which job of that id. */
  readonly isLeft: (id: string, made: number) => boolean
}

export interface StoreStatus {
  /** It has written something in the last seconds. */
  readonly isConnected: boolean
  /** Milliseconds of the last write, there and back; null: there was none. */
  readonly latencyMs: number | null
  /** Jobs that were taken, and of these such as were taken before, by a worker that has died. */
  readonly started: number
  readonly startedAgain: number
  readonly completed: number
  readonly failed: number
}
