// Every executor, for the contract suite: one suite, run on each of them. A new executor is one line in one of the three groups.
import { basename } from 'node:path'
import { after, describe } from 'node:test'
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'
import { createOn, openStore } from './queue-executor.js'

const common = [
  ...['name', 'startTimeout', 'closeTimeout', 'maxQueue', 'whenFull'],
  ...['workerData', 'teardownTimeout', 'host'],
]

/** In the caller's thread. */
const inThread = {
  inline: (module, options) => inline(module, only(options, common)),
  concurrent: (module, options) =>
    concurrent(module, { concurrency: 8, ...only(options, [...common, 'concurrency']) }),
}
/** With workers of their own, on this machine. */
const pools = {
  threads: (module, options) => threads(module, { size: 2, ...without(options, 'maxBlock') }),
  processes: (module, options) =>
    processes(module, { size: 2, ...without(options, 'maxBlock', 'transport') }),
  'threads by message': (module, options) =>
    threads(module, { size: 2, transport: 'message', ...without(options, 'maxBlock') }),
  adaptive: (module, options) => adaptive(module, { size: 2, ...inWorkers(options), ...options }),
}
/** Whose workers take the calls from a store. */
const queues = {
  bullmq: createOn('bullmq'),
  'bullmq on PostgreSQL': createOn('bullmq on PostgreSQL'),
}
const factories = { ...inThread, ...pools, ...queues }

/**
 * Suites of these, by their files. The others are about the workers of a pool on this machine, about streams, broadcast and keys, or about
 * so many calls that a queue would take minutes.
 */
const ON_QUEUES = {
  'classes.test.js': ['registered classes', 'registered classes that cannot travel'],
  'context.test.js': ['contexts'],
  'counts.test.js': ['counts'],
  'errors.test.js': ['errors', 'calls that cannot be made'],
  'hostile-code.test.js': ['map over a source that is silent'],
  'map.test.js': ['map', 'calls in one go'],
  'sort.test.js': ['sort'],
  'stopping.test.js': ['stopping', 'cancelling'],
  'whole-errors.test.js': ['whole errors'],
}
/** Of this file. Where there are none no store is started: that takes a second. */
const onQueues = ON_QUEUES[basename(process.argv[1] ?? '')] ?? []

function isOnQueue(name) {
  return name in queues
}

/** Those that the lane asks for; see scripts/test.mjs. */
const asked =
  process.env.THREADWISE_TEST_EXECUTORS?.split(',') ??
  Object.keys(factories).filter((name) => !isOnQueue(name))
const wanted = []
for (const name of asked)
  if (!isOnQueue(name) || (onQueues.length > 0 && (await openStore(name)))) wanted.push(name)

export const kinds = ['inline', 'concurrent', 'threads', 'processes'].filter((kind) => wanted.includes(kind))

/** Runs `define` for each executor with a `make` that creates one over a fixture and closes it after the suite. */
export function describeExecutors(title, define) {
  for (const name of wanted) {
    if (isOnQueue(name) && !onQueues.includes(title)) continue
    const create = factories[name]
    describe(`${name}: ${title}`, () => {
      const made = []
      const make = (fixture, options) => {
        const executor = create(taskModule(fixture), options)
        made.push(executor)
        return executor
      }
      after(() => Promise.all(made.map((executor) => executor.destroy())))
      const how = { isPool: !(name in inThread), isOnQueue: isOnQueue(name) }
      define(make, { name, kind: name.split(' ')[0], ...how })
    })
  }
}

/** The URL of a task module in test/fixtures/tasks; `{ module }` is passed on as it is. */
export function taskModule(name) {
  if (typeof name === 'object') return name.module
  return new URL(`../fixtures/tasks/${name}`, import.meta.url)
}

/** The rejection of a promise; fails when it resolves. */
export async function rejection(promise) {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error) => ({ error }),
  )
  if ('value' in outcome) throw new Error(`expected a rejection, got ${JSON.stringify(outcome.value)}`)
  return outcome.error
}

/** Tests of which worker a call goes to, and of workers that wear out by calls, are for calls that go to workers. */
function inWorkers({ balance, recycle } = {}) {
  return balance || recycle ? { maxBlock: 0 } : {}
}

function without(options = {}, ...absent) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !absent.includes(name)))
}

function only(options = {}, names) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)))
}
