// The jobs of a queue for whoever operates it, from any process: what has become of one, its result, and what may be done about it.

import type { Queue } from 'bullmq'
import { ThreadwiseError } from '../../errors/errors.js'
import { checkNames, checkObject, checkOption, optionNames, ownOptions } from '../../errors/check-options.js'
import { createKeepAlive, inTime } from '../core/lifecycle.js'
import { checkPositive } from '../executor/shared-options.js'
import { readResult } from '../queue/call-payload.js'
import { stateOf } from './caller-store.js'
import { failedReason, readFailedReason } from '../queue/failed-reason.js'
import { WORKERS_CHANNEL, type JobData, type ToCaller, type ToWorkers } from '../queue/messages.js'
import { loadClients } from './connection/connect.js'
import { makeQueue, openConnection, type Opened } from './open-store.js'
import { resolveQueueAddress as resolve, type QueueAddress } from './options.js'
import { isOfStore, sharedId, shownId } from '../queue/store-text.js'
import { refusal, unreachable, untrusted } from '../queue/unavailable.js'
import { storeErrors } from './store-errors.js'
import { withoutSignature } from './job-signatures.js'

/** What is known of a job. */
export interface JobInfo {
  /** As it was given, of a call with an `id`; otherwise that of the store. */
  readonly id: string
  readonly task: string
  readonly state: 'waiting' | 'running' | 'completed' | 'failed'
  /** Arguments, result and error as people read them, cut short; null: there is none. */
  readonly args: string
  readonly result: string | null
  readonly error: string | null
  /** Milliseconds since 1970 by the store's clock. */
  readonly made: number
}

/** The jobs of a queue; see {@link jobs}. An id is that of a call with an `id`, or that of the store. */
export interface QueueJobs extends AsyncDisposable {
  /** Undefined: there is no such job, or it is kept no longer. */
  status(id: string): Promise<JobInfo | undefined>
  /** What it gave; rejects with its error, and with TW_ERR_INVALID_CALL while it has not ended. */
  result(id: string): Promise<unknown>
  /** Takes it back, or stops it where it runs; whoever waits for it gets the reason. False: it is over, or was never there. */
  cancel(id: string, reason?: unknown): Promise<boolean>
  /** Those that have failed, the last ones first. Default: 100 of them. */
  failures(limit?: number): Promise<JobInfo[]>
  /** Lets one that has failed run again. False: there is none. */
  retry(id: string): Promise<boolean>
  /** Removes one that does not run. False: there is none. */
  remove(id: string): Promise<boolean>
  /** No more jobs are started until `resume()`; those that run go on. */
  pause(): Promise<void>
  /** Jobs are started again. */
  resume(): Promise<void>
  /** Removes all that wait. Their callers are told that their jobs are lost. */
  drain(): Promise<void>
  /** Ends its connection. */
  close(): Promise<void>
}

const OPTIONS = optionNames('connection queue prefix secret')
/** Milliseconds for the store to answer. */
const STORE_MS = 10_000
const PARTING_MS = 1000
/** Failures that are given. */
const SHOWN = 100

/**
 * The jobs of a queue, from any process.
 *
 * @throws TW_ERR_INVALID_OPTION; its functions reject also with TW_ERR_STORE_UNAVAILABLE and TW_ERR_PACKAGE_MISSING
 * @example
 * await using invoices = jobs({ connection: 'redis://localhost', queue: 'invoices' })
 * const { state } = await invoices.status('invoice-17')
 */
export function jobs(address: QueueAddress): QueueJobs {
  checkObject('options', address)
  const own = ownOptions(address)
  checkNames(own, OPTIONS)
  const resolved = resolve(own)
  const { queue: name } = resolved
  let why = ''
  const opened = openConnection(resolved, { onUp() {}, onProblem: (problem) => (why = problem) })
  const loaded = loadClients(resolved.connection)
  const parts = openParts(opened, name)
  for (const each of [loaded, parts]) each.catch(() => {}) // each use tells
  let isClosed = false
  const use = <Args extends unknown[], Result>(action: (parts: Parts, ...args: Args) => Promise<Result>) => {
    const limited = withLimit(parts, action, () => unreachable(name, STORE_MS, { why }))
    return async (...args: Args) => {
      if (isClosed) throw new ThreadwiseError('TW_ERR_CLOSED', {})
      await loaded
      return limited(...args)
    }
  }
  const ofOne = <Args extends unknown[], Result>(
    action: (parts: Parts, id: string, ...args: Args) => Promise<Result>,
  ) => {
    const limited = use(action)
    return async (id: string, ...args: Args) => (checkId(id), limited(id, ...args))
  }
  const close = () => {
    isClosed = true
    return closeSoon(opened, parts)
  }
  return {
    status: ofOne(status),
    result: ofOne(result),
    cancel: ofOne(cancel),
    retry: ofOne(retry),
    remove: ofOne(remove),
    failures: async (limit = SHOWN) => (checkPositive('limit', limit), use(failures)(limit)),
    pause: use(async ({ queue }) => queue.pause()),
    resume: use(async ({ queue }) => queue.resume()),
    drain: use(async ({ queue }) => queue.drain()),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function checkId(id: unknown): void {
  checkOption(typeof id === 'string' && id !== '', 'id', 'the id of a job', id)
}

async function openParts(opened: Promise<Opened>, name: string): Promise<Parts> {
  const open = await opened
  const by = await open.seal
  const queue = makeQueue(open, name, true)
  await queue.waitUntilReady()
  return { ...open, queue, by, name }
}

/** What never opens, as a function that gives no connection, is not waited for. */
async function closeSoon(opened: Promise<Opened>, parts: Promise<Parts>): Promise<void> {
  const closed = opened.then(async ({ connection }) => {
    if (connection.isUp)
      await inTime(
        parts.then(({ queue }) => queue.close()),
        PARTING_MS,
      ).catch(() => {})
    connection.end()
  })
  await inTime(closed, 2 * PARTING_MS).catch(() => {})
}

interface Parts extends Opened {
  readonly queue: Queue
  readonly by: Awaited<Opened['seal']>
  readonly name: string
}

/** The connection keeps no program alive, so each use does. */
function withLimit<Args extends unknown[], Result>(
  parts: Promise<Parts>,
  action: (parts: Parts, ...args: Args) => Promise<Result>,
  silent: () => Error,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const keepAlive = createKeepAlive()
    keepAlive.set(true)
    let given: { readonly result: Result } | undefined
    try {
      const done = parts.then(async (open) => {
        given = { result: await action(open, ...args) }
      })
      await inTime(done, STORE_MS)
    } catch (error) {
      throw isStoreError(error)
        ? refusal((await parts.catch(() => undefined))?.name ?? '', error, storeErrors)
        : error
    } finally {
      keepAlive.end()
    }
    if (!given) throw silent()
    return given.result
  }
}

function isStoreError(error: unknown): boolean {
  const { name, severity } = Object(error) as { name?: unknown; severity?: unknown }
  return name === 'ReplyError' || severity !== undefined
}

/** That of the store. */
async function find({ marks }: Parts, id: string): Promise<string | undefined> {
  for (const known of [sharedId(id), ...(isOfStore(id) ? [id] : [])])
    if (await marks.owner(known)) return known
  return undefined
}

async function status(parts: Parts, id: string): Promise<JobInfo | undefined> {
  const known = await find(parts, id)
  return known === undefined ? undefined : infoOf(parts, known, id)
}

/** Undefined: there is none, or nobody of ours has written it. */
async function infoOf(
  { queue, marks }: Parts,
  known: string,
  id = shownId(known),
): Promise<JobInfo | undefined> {
  const [job, owner, [found]] = await Promise.all([
    queue.getJob(known).catch(() => undefined),
    marks.owner(known),
    marks.look([known]),
  ])
  if (!job || !owner || !found) return undefined
  const { args } = Object(job.data) as Partial<JobData>
  const { result: shown } = Object(job.returnvalue) as { result?: unknown }
  const isOver = found.code !== 0
  const state = isOver ? (found.code === 1 ? 'completed' : 'failed') : owner.isTaken ? 'running' : 'waiting'
  return {
    id,
    task: job.name,
    state,
    args: typeof args === 'string' ? args : '',
    made: job.timestamp,
    result: state === 'completed' && typeof shown === 'string' ? shown : null,
    error: state === 'failed' ? firstLine(job.failedReason ?? '') : null,
  }
}

function firstLine(reason: string): string {
  return withoutSignature(reason).split('\nthreadwise:', 1)[0]!
}

async function result({ marks, by, name, ...parts }: Parts, id: string): Promise<unknown> {
  const all = { ...parts, marks, by, name }
  const known = (await find(all, id)) ?? id
  const [found] = await marks.look([known])
  const state = stateOf(found!, known, by)
  const { task = '' } = { task: (await marks.owner(known))?.name }
  if (state.state === 'completed') return readResult(task, state.result)
  if (state.state === 'failed') throw readFailedReason(state.reason)
  if (state.state === 'foreign') throw untrusted(name, `The ${state.what} of job "${id}"`)
  const expected = 'the id of a job that has ended and is kept still'
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', {
    call: `result("${id}")`,
    expected,
    received: state.state,
  })
}

async function cancel(parts: Parts, id: string, reason?: unknown): Promise<boolean> {
  const known = await find(parts, id)
  if (known === undefined) return false
  const thrown = reason ?? new DOMException('The job was cancelled.', 'AbortError')
  const text = failedReason(thrown)
  const job = await parts.queue.getJob(known).catch(() => undefined)
  const { reply } = Object(job?.data) as Partial<JobData>
  const { state, ...taken } = await parts.marks.withdraw(known, true)
  if (state === 'over') return false
  if (state === 'taken')
    await tell(parts, WORKERS_CHANNEL, { type: 'cancel', id: known, reason: text, ...taken })
  else if (typeof reply === 'string') await tell(parts, reply, { type: 'failed', id: known, reason: text })
  return true
}

async function tell({ by, connection }: Parts, name: string, message: ToCaller | ToWorkers): Promise<void> {
  await Promise.all(by.tell(name, message).map(({ channel, text }) => connection.publish(channel, text)))
}

async function failures(parts: Parts, limit: number): Promise<JobInfo[]> {
  const ids = await parts.queue.getRanges(['failed'], 0, limit - 1, false)
  const found = await Promise.all(ids.map((id) => infoOf(parts, id)))
  return found.filter((info) => info?.state === 'failed') as JobInfo[]
}

async function retry(parts: Parts, id: string): Promise<boolean> {
  const known = await find(parts, id)
  const job = known === undefined ? undefined : await parts.queue.getJob(known)
  if (!job || !(await job.isFailed())) return false
  await job.retry('failed')
  return true
}

async function remove(parts: Parts, id: string): Promise<boolean> {
  const known = await find(parts, id)
  return known !== undefined && (await parts.queue.remove(known)) === 1
}
