// `threadwise worker`: takes jobs until a signal comes, and says what it does.

import { createServer, type Server } from 'node:http'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { metric, writeMetrics } from '../../primitives/prometheus.js'
import type { QueueCounts } from '../../runtime/queue/store.js'
import type { MakePool } from '../../runtime/bullmq/work-options.js'
import { work } from '../../runtime/bullmq/work.js'
import type { QueueWorker } from '../../runtime/queue/queue-worker.js'
import { prometheusText } from '../../runtime/executor/executor-metrics.js'
import { processes } from '../../runtime/processes/processes-executor.js'
import { threads } from '../../runtime/threads/threads-executor.js'
import { createAsked } from '../terminal/asked-to-end.js'

export interface WorkerFlags {
  readonly queue: string
  readonly connection: string
  readonly prefix?: string
  readonly executor?: 'threads' | 'processes'
  readonly size?: number | 'max'
  readonly concurrency?: number
  readonly grace?: number
  readonly lock?: number
  readonly name?: string
  readonly port?: number
  /** Seconds. */
  readonly waitStore?: number
  readonly secret?: readonly string[]
}

const DEFAULT_GRACE_MS = 30_000
const DEFAULT_WAIT_S = 60

/** Returns the exit code. Rejects when it cannot start. */
export async function runWorker(file: string, flags: WorkerFlags): Promise<number> {
  const { queue, connection, prefix, executor = 'threads', concurrency, lock, name = queue } = flags
  const { grace = DEFAULT_GRACE_MS, port, waitStore = DEFAULT_WAIT_S, secret } = flags
  checkOption(grace >= 0, '--grace', 'a number of milliseconds from 0', grace) // not only when it stops
  checkOption(waitStore >= 0, '--wait-store', 'a number of seconds from 0', waitStore)
  checkOption(port === undefined || isPort(port), '--port', 'a number from 0 to 65535', port)
  const worker = work(pathToFileURL(resolve(file)).href, {
    queue,
    connection,
    name,
    executor: loadingInTime(executor === 'threads' ? threads : processes),
    startTimeout: waitStore * 1000,
    ...(prefix !== undefined && { prefix }),
    ...(secret && { secret }),
    ...(typeof flags.size === 'number' && { size: flags.size }),
    ...(concurrency !== undefined && { concurrency }),
    ...(lock !== undefined && { lockDuration: lock }),
  })
  let server: Server | undefined
  try {
    if (port !== undefined) server = await answerOn(port, worker)
    const stopped = untilSignal()
    await Promise.race([worker.ready, stopped])
    const { places } = worker.stats()
    say(`takes jobs of queue ${queue}, ${places} at a time, in ${executor}`)
    if (process.connected) process.send!('ready') // what PM2 and others wait for
    say(`stops (${await stopped}): lets jobs end`)
    await worker.close({ timeout: grace })
    say('has stopped')
    return 0
  } finally {
    server?.close()
    server?.closeAllConnections()
    await worker.close({ timeout: 0 })
  }
}

/** Milliseconds for the task module, however long the store may take. */
const LOAD_MS = 10_000

function loadingInTime(create: MakePool): MakePool {
  return (module, options) => create(module, { ...options, startTimeout: LOAD_MS })
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 0 && port <= 65_535
}

/** Resolves with the first signal; a later one ends the process. */
function untilSignal(): Promise<string> {
  return new Promise((resolve) => {
    const asked = createAsked()
    for (const signal of ['SIGTERM', 'SIGINT'])
      process.on(signal, () => {
        if (asked(signal) === 'again') process.exit(130)
        resolve(signal)
      })
    watchNpm(() => {
      asked()
      resolve('npm has ended')
    })
  })
}

/** Milliseconds from one look to the next. */
const PARENT_MS = 500

/**
 * npm, which npx is, ends at a SIGTERM and tells nothing of it: the worker would take jobs for ever. As process 1 of a container it takes the
 * worker with it, which nobody can prevent: so it says what to start instead.
 */
function watchNpm(onEnd: () => void): void {
  if (process.env.npm_command === undefined) return
  const parent = process.ppid
  if (parent === 1) say('npm is process 1 and tells no SIGTERM: start node_modules/.bin/threadwise instead')
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    onEnd()
  }, PARENT_MS)
  timer.unref()
}

/** For probes and scrapers: on all addresses, as these come from outside of the container. */
async function answerOn(port: number, worker: QueueWorker): Promise<Server> {
  let isReady = false
  worker.ready.then(
    () => (isReady = true),
    () => {},
  )
  const server = createServer((request, response) => {
    const path = request.url?.split('?')[0]
    if (path === '/health') {
      const { isConnected, isClosing } = worker.stats()
      const isHealthy = isReady && isConnected && !isClosing
      response.writeHead(isHealthy ? 200 : 503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ isReady, ...worker.stats() }))
    } else if (path === '/metrics') {
      response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' })
      void metricsOf(worker).then((text) => response.end(text))
    } else response.writeHead(404).end()
  })
  await new Promise<void>((resolve, reject) => {
    const failed = ({ message }: Error) =>
      reject(
        new ThreadwiseError('TW_ERR_INVALID_OPTION', {
          option: '--port',
          expected: `a free port (${message})`,
          received: port,
        }),
      )
    server.once('error', failed).listen(port, resolve)
  })
  server.unref()
  return server
}

async function metricsOf(worker: QueueWorker): Promise<string> {
  const { queue, places, running, ...totals } = worker.stats()
  const { started, startedAgain, completed, failed, isConnected, latencyMs } = totals
  const counts = await worker.count().catch(() => undefined)
  const one = (value: number, labels = {}) => ({ labels: { queue, ...labels }, value })
  const own = writeMetrics([
    metric('queue_jobs_total', 'counter', 'Jobs that this worker has ended.', [
      one(completed, { outcome: 'completed' }),
      one(failed, { outcome: 'failed' }),
    ]),
    metric(
      'queue_attempts_total',
      'counter',
      'Starts of jobs by this worker: first ones, and such as follow the death of a worker.',
      [one(started - startedAgain, { again: 'no' }), one(startedAgain, { again: 'yes' })],
    ),
    metric('queue_jobs_running', 'gauge', 'Jobs that this worker runs now.', [one(running)]),
    metric('queue_places', 'gauge', 'Jobs that this worker runs at a time.', [one(places)]),
    metric('queue_connected', 'gauge', '1: the store has written something in the last seconds.', [
      one(isConnected ? 1 : 0),
    ]),
    ...(latencyMs === null
      ? []
      : [metric('queue_store_seconds', 'gauge', 'A write to the store and back.', [one(latencyMs / 1000)])]),
    ...(counts ? countMetrics(counts, one) : []),
  ])
  return own + prometheusText(await worker.executor.inspect())
}

type One = (value: number, labels?: object) => { labels: Record<string, string>; value: number }

/** Of the whole queue, whichever worker is asked. */
function countMetrics({ waiting, running, failed, oldestMs, isPaused }: QueueCounts, one: One) {
  return [
    metric('queue_waiting', 'gauge', 'Jobs that wait in the queue.', [one(waiting)]),
    metric('queue_active', 'gauge', 'Jobs of the queue that run, on all workers.', [one(running)]),
    metric('queue_failed', 'gauge', 'Failed jobs that are kept still.', [one(failed)]),
    metric('queue_oldest_seconds', 'gauge', 'For how long the first of those waits.', [
      one((oldestMs ?? 0) / 1000),
    ]),
    metric('queue_paused', 'gauge', '1: no job is started.', [one(isPaused ? 1 : 0)]),
  ]
}

function say(text: string): void {
  process.stderr.write(`threadwise worker: ${text}\n`)
}
