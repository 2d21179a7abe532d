// An executor over a queue with a worker of its own, for the contract suite: options of pools are those of the worker's pool.
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import { threads } from 'threadwise'
import { bullmq, work } from 'threadwise/bullmq'
import { STORES } from './stores.js'

const CALLERS = ['name', 'closeTimeout', 'onWorkerExit', 'workerTimeout']
/** Tasks that wait on promises overlap. */
const JOBS = 32

/** Names of executors of the contract suite, and what starts the store of each. */
const QUEUES = { bullmq: STORES[0], 'bullmq on PostgreSQL': STORES[1] }
const opened = new Map()

/** To be called once for each, before any is made. False: there is no such store here. */
export async function openStore(name) {
  const { missing, start } = QUEUES[name]
  if (missing) return false
  const store = await start()
  opened.set(name, store)
  after(() => store.stop())
  return true
}

/** Makes executors on this store. */
export const createOn = (name) => (module, options) => createOnQueue(opened.get(name), module, options)

function createOnQueue(store, module, options = {}) {
  const own = (isCallers) =>
    Object.fromEntries(Object.entries(options).filter(([name]) => CALLERS.includes(name) === isCallers))
  const { concurrency, tasksPerWorker, ...pool } = { size: 2, ...own(false) }
  const at = { connection: store.url, queue: `contract-${randomUUID()}`, startTimeout: 60_000 }
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
  Object.defineProperty(caller, 'ready', { value: ready })
  return Object.assign(caller, {
    close: ending(close),
    destroy: ending(destroy),
    [Symbol.asyncDispose]: ending(() => close()),
  })
}
