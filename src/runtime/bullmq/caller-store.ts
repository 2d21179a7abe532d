// The store of a queue as its callers use it.

import type { StoreEvents } from '../queue/store.js'
import type { Queue } from 'bullmq'
import { inTime } from '../core/lifecycle.js'
import { machineNow } from '../wire/machine-clock.js'
import { FOUND, KNOWN_JOB, LATE_JOB, type FoundJob, type Owner } from './connection/connection.js'
import { signedJob, signedReason, signedResult } from './job-signatures.js'
import {
  readJobResult,
  readToCaller,
  WORKERS_CHANNEL,
  type ToCaller,
  type ToWorkers,
} from '../queue/messages.js'
import { countJobs, makeQueue, openConnection, type Opened } from './open-store.js'
import type { ResolvedAddress } from './options.js'
import type { Seal } from './connection/seal.js'
import type { Added, CallerStore, JobOwner, JobState, NewJob } from '../queue/store.js'

/** Of jobs in the order of their numbers; BullMQ has 1 for those that go first, and runs jobs without one before them. */
const LOWEST_PRIORITY = 21
const PARTING_MS = 1000

export interface CallerSettings extends ResolvedAddress {
  /** It only asks. */
  readonly isReader?: boolean
}

interface Parts extends Opened {
  readonly queue: Queue
}

export function openCallerStore(settings: CallerSettings): (events: StoreEvents) => Promise<CallerStore> {
  return async (events) => {
    const opened = await openConnection(settings, events)
    // Before it is known that the store is the one that was named, nothing is written to it.
    const parts = openParts(opened, settings)
    parts.catch(() => {}) // each use of it tells
    return callerStore(opened, parts)
  }
}

async function openParts(opened: Opened, settings: CallerSettings): Promise<Parts & { readonly by: Seal }> {
  const by = await opened.seal
  const queue = makeQueue(opened, settings.queue, settings.isReader ?? false)
  await queue.waitUntilReady()
  opened.connection.guard()
  return { ...opened, queue, by }
}

function callerStore(opened: Opened, parts: ReturnType<typeof openParts>): CallerStore {
  const { connection, marks } = opened
  let ahead: number | undefined
  const readClock = async () => {
    await parts
    const asked = machineNow()
    const time = await marks.now()
    ahead = time - (asked + machineNow()) / 2
  }
  const tell = async (name: string, message: ToCaller | ToWorkers) => {
    const { by } = await parts
    await Promise.all(by.tell(name, message).map(({ channel, text }) => connection.publish(channel, text)))
  }
  return {
    get breaks() {
      return connection.breaks
    },
    now: () => Math.round(machineNow() + (ahead ?? 0)),
    readClock,
    add: async (jobs) => addJobs(await parts, jobs),
    async look(ids) {
      const { by } = await parts
      return (await marks.look(ids)).map((found, i) => stateOf(found, ids[i]!, by))
    },
    ownerOf: async (id) => (await parts, ownerIn(await marks.owner(id))),
    withdraw: async (id) => (await parts, marks.withdraw(id)),
    release: async (seen) => (await parts, marks.release(seen)),
    async write() {
      await parts
      await Promise.all([marks.write(), connection.ping()])
    },
    replace: () => connection.replace(),
    tell,
    tellWorkers: (message) => tell(WORKERS_CHANNEL, message),
    workersChannel: async () => (await parts).by.channel(WORKERS_CHANNEL),
    listen: async (name, listener) => listen(await parts, name, listener),
    count: async () => countJobs((await parts).queue, marks),
    close: () => closeSoon(opened, parts),
  }
}

async function listen(
  { connection, by }: Opened & { readonly by: Seal },
  name: string,
  listener: (message: ToCaller) => void,
) {
  const stop = await connection.subscribe(by.channel(name), (sealed) => {
    const text = by.open(name, sealed)
    const message = text === undefined ? undefined : readToCaller(text)
    if (message) listener(message)
  })
  return { stop }
}

async function addJobs(
  { queue, by, connection }: Parts & { readonly by: Seal },
  jobs: readonly NewJob[],
): Promise<Added[]> {
  const given = jobs.map((job) => ({ name: job.task, data: signedJob(job, by), opts: optionsOf(job) }))
  const [first] = given
  const isOne = given.length === 1 && !connection.backend // of BullMQ's statements for PostgreSQL only the other one is guarded
  const added = isOne ? [await queue.add(first!.name, first!.data, first!.opts)] : await queue.addBulk(given)
  return added.map(({ id }) => (id === LATE_JOB ? 'late' : id === KNOWN_JOB ? 'known' : 'added'))
}

/** `of` is ours: BullMQ keeps it with the others. How long ends are kept is ours, too: by BullMQ, whoever ends a job would remove those of others. */
function optionsOf({ id, priority, made, of }: NewJob): object {
  const own = {
    jobId: id,
    priority: LOWEST_PRIORITY - priority,
    timestamp: made,
    ...(of !== undefined && { of }),
  }
  return { ...own, attempts: 1, stackTraceLimit: 1 }
}

function ownerIn(found: Owner | undefined): JobOwner | undefined {
  if (!found) return undefined
  const { of } = Object(parse(found.opts)) as { of?: unknown }
  return { task: found.name, of: typeof of === 'string' ? of : undefined, isTaken: found.isTaken }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the store has found of a job. */
export function stateOf({ code, value }: FoundJob, id: string, by: Seal): JobState {
  if (code === FOUND.open) return { state: 'open' }
  if (code === FOUND.missing) return { state: 'missing' }
  if (code === FOUND.withdrawn) return { state: 'withdrawn' }
  if (code === FOUND.completed) {
    const result = readJobResult(value)
    if (!result) return { state: 'foreign', what: 'result' }
    return signedResult(id, result, by)
      ? { state: 'completed', result }
      : { state: 'foreign', what: 'result' }
  }
  const reason = signedReason(id, value, by)
  return reason === undefined ? { state: 'foreign', what: 'error' } : { state: 'failed', reason }
}

async function closeSoon({ connection }: Opened, parts: Promise<{ readonly queue: Queue }>): Promise<void> {
  const closed = parts.then(({ queue }) => queue.close())
  if (connection.isUp) await inTime(closed, PARTING_MS).catch(() => {})
  else closed.catch(() => {})
  connection.end()
}
