// What goes through the store: jobs, which it keeps, and messages, which reach whoever listens at that moment.
//
//   caller --- job ---------------------------------> store --- job --> worker
//     ^  '---- who is there?, cancel ---> all workers                      |
//     '------- here I am, progress, done <---------------------------------'
//
// A message may get lost. Nothing rests on it: the caller also looks at its jobs. What anybody has written who may write to the store is checked
// here in the form in which it is used later.

/** The form of all of this. Raised when an older worker or caller would take something for what it is not. */
export const VERSION = 2

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
  /** What its caller is called, or the job itself where several may wait for it: the name of a channel. */
  readonly reply: string
  /** Milliseconds for which its end is kept once its caller knows of it, and while he does not. */
  readonly keep: number
  readonly unseen: number
  readonly progress?: true
  /** How often it may be started again when its worker has died. */
  readonly retries: number
  /** Bytes that its result may take. */
  readonly maxPayload: number
  readonly timeout?: number
  readonly gracePeriod?: number
  readonly warnAfter?: number
  /** Where the queue has a secret. */
  readonly signature?: string
}

/** What a job gives. */
export interface JobResult {
  /** As people read it, cut short. */
  readonly result: string
  readonly payload: string
  /** Milliseconds that it ran. */
  readonly ms: number
  readonly signature?: string
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
  /** One of those who wait for a job goes: does anybody else wait? `from`: that caller. */
  | { readonly type: 'anybody'; readonly id: string; readonly from: string }
  | { readonly type: 'waits'; readonly id: string; readonly from: string }

/** To all workers of a queue. */
export type ToWorkers =
  /** `made`: which job of that id; without it whichever runs. */
  | {
      readonly type: 'cancel'
      readonly id: string
      readonly made?: number
      readonly reason: string
      /** The last of its callers has gone: its id is free again when it has ended. */
      readonly isLeft?: true
    }
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

/** The channel of all workers. */
export const WORKERS_CHANNEL = 'workers'
/** Bytes of a message about itself, and letters of a name. */
const MAX_NAME = 1000

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
  anybody: ({ id, from }) => isText(id) && isText(from),
  waits: ({ id, from }) => isText(id) && isText(from),
}

const TO_WORKERS: Checks<ToWorkers> = {
  cancel: ({ id, made, reason, isLeft }) =>
    isText(id) &&
    isText(reason) &&
    (made === undefined || isNumber(made)) &&
    (isLeft === undefined || isLeft === true),
  who: ({ reply }) => isText(reply) && reply.length <= MAX_NAME,
}

function read<Message extends { readonly type: string }>(
  text: string,
  checks: Checks<Message>,
): Message | undefined {
  const message = parse(text)
  if (!isObject(message) || !isText(message.type) || !Object.hasOwn(checks, message.type)) return undefined
  return checks[message.type as Message['type']](message) ? (message as unknown as Message) : undefined
}

/** Undefined: nobody of ours has written it. */
export function readJobResult(text: string): JobResult | undefined {
  const result = parse(text)
  return isResult(result) ? (result as JobResult) : undefined
}

/** Milliseconds for which the end of a job is kept: a year. */
export const MAX_KEEP_MS = 365 * 24 * 3600 * 1000
/** Starts after the death of a worker that anybody may ask for. */
const MAX_RETRIES = 1000
const FLAGS = ['context', 'each', 'progress'] as const
const TIMES = ['timeout', 'gracePeriod', 'warnAfter'] as const

/** What is wrong with what a job holds; undefined: nothing. */
export function problemOfJob(data: unknown): string | undefined {
  if (!isObject(data)) return 'it holds no object'
  const { args, payload, reply, retries, maxPayload, keep, unseen } = data
  if (![args, payload, reply].every(isText) || (reply as string).length > MAX_NAME) return 'a text is missing'
  if (![maxPayload, keep, unseen].every(isNumber)) return 'a number is missing'
  if (Number(keep) > MAX_KEEP_MS || Number(unseen) > MAX_KEEP_MS) return 'its end would be kept for ever'
  if (!Number.isInteger(retries) || !isNumber(retries) || Number(retries) > MAX_RETRIES)
    return `retries is no whole number from 0 to ${MAX_RETRIES}`
  if (FLAGS.some((flag) => data[flag] !== undefined && data[flag] !== true)) return 'a switch is not true'
  if (TIMES.some((time) => data[time] !== undefined && !isNumber(data[time]))) return 'a time is no number'
  return undefined
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
  return typeof value === 'number' && value >= 0 && value < Infinity
}
