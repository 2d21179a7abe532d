// An executor over a queue with a worker of its own, for the contract suite: options of pools are those of the worker's pool.
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { threads } from 'threadwise'
import { bullmq, work } from 'threadwise/bullmq'
import { startRedis, withoutRedis } from './redis.js'

const CALLERS = ['name', 'closeTimeout', 'onWorkerExit']
/** Tasks that wait on promises overlap. */
const JOBS = 32

let redis

/** To be called once, before any is made. False: there is no Redis here. */
export async function openStore() {
  if (withoutRedis) return false
  redis = await startRedis()
  after(() => redis.stop())
  return true
}

export function createOnQueue(module, options = {}) {
  const own = (isCallers) =>
    Object.fromEntries(Object.entries(options).filter(([name]) => CALLERS.includes(name) === isCallers))
  const { concurrency, tasksPerWorker, ...pool } = { size: 2, ...own(false) }
  const at = { connection: redis.url, queue: `contract-${randomUUID()}`, startTimeout: 60_000 }
  const isNarrow = concurrency !== undefined || tasksPerWorker !== undefined
  const worker = work(module, {
    ...{ ...at, concurrency: isNarrow ? (concurrency ?? pool.size * tasksPerWorker) : JOBS },
    executor: (url, given) => threads(url, { ...given, ...pool, ...(isNarrow && { tasksPerWorker }) }),
  })
  const caller = bullmq(module, { ...at, ...own(true) })
  const ending = (end) => async (argument) => {
    await end(argument)
    await worker.close({ timeout: 0 })
  }
  const { close, destroy } = caller
  const ready = Promise.all([caller.ready, worker.ready]).then(() => {})
  ready.catch(() => {}) // as that of every executor: who never looks at it learns of the failure from the calls
  return Object.assign(caller, {
    ready,
    close: ending(close),
    destroy: ending(destroy),
    [Symbol.asyncDispose]: ending(() => close()),
  })
}
