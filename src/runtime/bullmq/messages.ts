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

// What anybody may publish who has the password of the store is dropped, where it is no message of ours.

type Fields = Readonly<Record<string, unknown>>

/** Undefined: it is none. */
export function readToCaller(text: string): ToCaller | undefined {
  return read<ToCaller>(text, TO_CALLER)
}

/** Undefined: it is none. */
export function readToWorkers(text: string): ToWorkers | undefined {
  return read<ToWorkers>(text, TO_WORKERS)
}

type Checks<Message extends { readonly type: string }> = Readonly<
  Record<Message['type'], (message: Fields) => boolean>
>

const TO_CALLER: Checks<ToCaller> = {
  done: ({ id, result }) => isText(id) && isResult(result),
  failed: ({ id, reason }) => isText(id) && isText(reason),
  ended: ({ id }) => isText(id),
  progress: ({ id, payload }) => isText(id) && isText(payload),
  here: ({ worker }) => isPresence(worker),
}

const TO_WORKERS: Checks<ToWorkers> = {
  cancel: ({ id, reason }) => isText(id) && isText(reason),
  who: ({ reply }) => isText(reply),
}

function read<Message extends { readonly type: string }>(
  text: string,
  checks: Checks<Message>,
): Message | undefined {
  const message = parse(text)
  if (!isObject(message) || !Object.hasOwn(checks, String(message.type))) return undefined
  return checks[message.type as Message['type']](message) ? (message as unknown as Message) : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isResult(result: unknown): boolean {
  return isObject(result) && isText(result.result) && isText(result.payload) && isNumber(result.ms)
}

function isPresence(worker: unknown): boolean {
  if (!isObject(worker)) return false
  const { id, host, pid, places, running, isClosing } = worker
  return [id, host].every(isText) && [pid, places, running].every(isNumber) && typeof isClosing === 'boolean'
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isNumber(value: unknown): boolean {
  return typeof value === 'number' && value >= 0
}
