// What goes through the store: jobs, which it keeps, and messages, which reach whoever listens at that moment.
//
//   caller --- job ---------------------------------> store --- job --> worker
//     ^  '---- who is there?, cancel ---> all workers                      |
//     '------- here I am, progress, done <---------------------------------'
//
// A message may get lost. Nothing rests on it: the caller also looks at its jobs.

/** The form of all of this. Raised when an older worker or caller would take something for what it is not. */
export const VERSION = 1

/** What a job holds; its name is that of the task. */
export interface JobData {
  readonly v: typeof VERSION
  /** The arguments as people read them, cut short. */
  readonly args: string
  /** The list of arguments, by the codec; with `context` the values of the contexts are before them. */
  readonly payload: string
  readonly context?: true
  /** Each argument is an input of a call of its own. */
  readonly each?: true
  /** Where its caller listens. */
  readonly reply: string
  readonly progress?: true
  /** How often it may be started again when its worker has died. */
  readonly retries: number
  /** Bytes that its result may take. */
  readonly maxPayload: number
  readonly timeout?: number
  readonly gracePeriod?: number
  readonly warnAfter?: number
}

/** What a job gives. */
export interface JobResult {
  /** As people read it, cut short. */
  readonly result: string
  readonly payload: string
  /** Milliseconds that it ran. */
  readonly ms: number
}

/** To the caller of a job, or to whoever has asked who is there. */
export type ToCaller =
  | { readonly type: 'done'; readonly id: string; readonly result: JobResult }
  /** `reason`: see failed-reason.ts. */
  | { readonly type: 'failed'; readonly id: string; readonly reason: string }
  /** It has ended, and what it gave is too much for a message. */
  | { readonly type: 'ended'; readonly id: string }
  | { readonly type: 'progress'; readonly id: string; readonly payload: string }
  | { readonly type: 'here'; readonly worker: WorkerPresence }

/** To all workers of a queue. */
export type ToWorkers =
  | { readonly type: 'cancel'; readonly id: string; readonly reason: string }
  | { readonly type: 'who'; readonly reply: string }

/** What a worker tells of itself. */
export interface WorkerPresence {
  readonly id: string
  /** Of its machine, and of its process there. */
  readonly host: string
  readonly pid: number
  /** Jobs that it runs at a time, and now. */
  readonly places: number
  readonly running: number
  /** It takes no more jobs. */
  readonly isClosing: boolean
}

/** Larger results are fetched from the store. */
export const MAX_MESSAGE = 64 * 1024
