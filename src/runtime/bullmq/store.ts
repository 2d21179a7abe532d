// What both sides need of the store of a queue, whatever keeps it.

import type { TakenJob } from './job-runner.js'
import type { JobData, JobResult, ToCaller, ToWorkers } from './messages.js'

export interface NewJob {
  readonly id: string
  readonly task: string
  readonly data: JobData
  /** From -20 to 20, as that of a call. */
  readonly priority: number
}

/** What has become of a job. */
export type JobState =
  | { readonly state: 'open' }
  /** There is no such job. */
  | { readonly state: 'missing' }
  | { readonly state: 'completed'; readonly result: JobResult }
  | { readonly state: 'failed'; readonly reason: string }

/** The caller's side. While the store cannot be reached, promises stay open. */
export interface CallerStore {
  /** One whose id is known already is left as it is. Rejects when the store refuses them: it has no memory left, for instance. */
  add(jobs: readonly NewJob[]): Promise<void>
  look(ids: readonly string[]): Promise<readonly JobState[]>
  /** The task of a job; undefined: there is no such job. */
  taskOf(id: string): Promise<string | undefined>
  /** Takes a job back that nobody has started. False: too late. */
  withdraw(id: string): Promise<boolean>
  tellWorkers(message: ToWorkers): Promise<void>
  /** Until `stop` is called. */
  listen(channel: string, listener: (message: ToCaller) => void): Promise<{ readonly stop: () => void }>
  /** What the queue holds. */
  count(): Promise<QueueCounts>
  /** Resolves within a second or so, whatever state the connection is in. */
  close(): Promise<void>
}

export interface QueueCounts {
  readonly waiting: number
  readonly running: number
  readonly completed: number
  readonly failed: number
  /** Milliseconds since the first of those that wait was added; null: none waits. */
  readonly oldestMs: number | null
}

/** The worker's side. */
export interface WorkerStore {
  readonly status: StoreStatus
  /** To what callers tell all workers. */
  listen(listener: (message: ToWorkers) => void): Promise<void>
  /** Kept until the store can be reached. */
  tell(channel: string, message: ToCaller): void
  /** Takes jobs from now on, and tells each caller what has become of its job. Resolves when the first one may come. */
  take(taking: Taking): Promise<void>
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
}

export interface StoreStatus {
  readonly isConnected: boolean
  readonly completed: number
  readonly failed: number
}
