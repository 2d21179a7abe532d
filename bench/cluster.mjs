// bullmq of threadwise beside bare BullMQ with sandboxed processors, on a Redis of its own; and what becomes of jobs whose workers are killed.
//
//   node bench/cluster.mjs [--jobs 10000] [--kills 20] [--rounds 5] [--only deaths,speed,commands]
//
// Deaths: four worker processes, of which one is killed and replaced again and again while the jobs run. A job notes each of its starts.
// Commands: how many go to Redis for a job, one at a time and with 64 open. A count is the same on a busy machine.
// Speed: round by round in turn, two workers, medians: jobs of 10 ms per second with 64 open, and the time of one job alone that does nothing.
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Redis } from 'ioredis'
import { startRedis, withoutRedis } from '../test/helpers/redis.js'
import { bareCaller, threadwiseCaller } from './cluster/callers.mjs'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'deaths,commands,speed' },
  },
})
const JOBS = Number(values.jobs)
const KILLS = Number(values.kills)
const ROUNDS = Number(values.rounds)
if (withoutRedis) throw new Error(withoutRedis)

const workerFile = fileURLToPath(new URL('./cluster/worker.mjs', import.meta.url))
const redis = await startRedis(undefined, { appendonly: 'yes', appendfsync: 'everysec' })
try {
  if (values.only.includes('deaths'))
    for (const retries of [0, 3]) console.log(describeDeaths(retries, await deaths(retries)))
  if (values.only.includes('commands'))
    for (const kind of ['threadwise', 'process']) await countCommands(kind)
  if (values.only.includes('speed')) await compareSpeed()
} finally {
  await redis.stop()
}

async function startWorker(kind, queue, places, lock) {
  const child = fork(workerFile, [kind, redis.url, queue, String(places), String(lock)])
  await once(child, 'message')
  return child
}

async function deaths(retries) {
  const queue = `deaths-${randomUUID()}`
  const folder = mkdtempSync(join(os.tmpdir(), 'threadwise-bench-'))
  const file = join(folder, 'starts')
  writeFileSync(file, '')
  const workers = await Promise.all(
    Array.from({ length: 4 }, () => startWorker('threadwise', queue, 1, 2000)),
  )
  const options = { ...(retries > 0 && { onWorkerExit: { retries } }), workerTimeout: 60_000 }
  const caller = threadwiseCaller(redis.url, queue, options)
  const began = performance.now()
  const outcome = { ok: 0, rejected: {} }
  const calls = Array.from({ length: JOBS }, (_, id) =>
    caller.run('noted', [file, id, 5]).then(
      () => outcome.ok++,
      (error) => (outcome.rejected[error.code] = (outcome.rejected[error.code] ?? 0) + 1),
    ),
  )
  const settled = Promise.all(calls)
  const pauseMs = (0.7 * JOBS * 8) / 2 / KILLS // while most jobs are still to come
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(pauseMs)
    const victim = workers.shift()
    victim.kill('SIGKILL')
    await once(victim, 'exit')
    workers.push(await startWorker('threadwise', queue, 1, 2000))
  }
  await settled
  const seconds = (performance.now() - began) / 1000
  await caller.close()
  for (const worker of workers) worker.kill('SIGKILL')
  const starts = readFileSync(file, 'utf8').trimEnd().split('\n')
  rmSync(folder, { recursive: true })
  return { ...outcome, startedAgain: starts.length - new Set(starts).size, seconds }
}

function describeDeaths(retries, { ok, rejected, startedAgain, seconds }) {
  const codes = Object.entries(rejected).map(([code, count]) => `${count} x ${code}`)
  const sum = ok + Object.values(rejected).reduce((a, b) => a + b, 0)
  const rule = retries === 0 ? 'at most once' : `retries: ${retries}`
  return `${rule}: ${JOBS} jobs, ${KILLS} kills: ${ok} ok, rejected ${codes.join(', ') || 0}, ${JOBS - sum} unsettled, ${startedAgain} starts more than once, ${seconds.toFixed(0)} s`
}

async function countCommands(kind) {
  const queue = `commands-${randomUUID()}`
  const worker = await startWorker(kind, queue, 2, 30_000)
  const caller =
    kind === 'threadwise' ? threadwiseCaller(redis.url, queue) : await bareCaller(redis.url, queue)
  await inLanes(8, 50, () => caller.run('nothing', [])) // scripts are loaded
  const client = new Redis(redis.url)
  for (const [open, count] of [
    [1, 300],
    [64, 2000],
  ]) {
    // prettier-ignore
    const monitor = await client.monitor()
    const seen = new Map()
    monitor.on(
      'monitor',
      (_, [name], source) => source !== 'lua' && seen.set(name, (seen.get(name) ?? 0) + 1),
    )
    await inLanes(open, count, () => caller.run('nothing', []))
    monitor.disconnect()
    const all = [...seen].sort(([, a], [, b]) => b - a).map(([name, n]) => [name, n / count])
    const sum = all.reduce((total, [, n]) => total + n, 0)
    const shown = all.filter(([, n]) => n >= 0.01).map(([name, n]) => `${name} ${n.toFixed(2)}`)
    console.log(`${kind}, ${open} open: ${sum.toFixed(2)} commands a job (${shown.join(', ')})`)
  }
  client.disconnect()
  await caller.close()
  worker.kill('SIGKILL')
}

async function compareSpeed() {
  const kinds = ['threadwise', 'process', 'thread']
  const runs = Object.fromEntries(kinds.map((kind) => [kind, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of kinds) {
      console.error(`round ${round + 1} of ${ROUNDS}: ${kind}`)
      runs[kind].push(await speedOf(kind))
    }
  const median = (kind, what) => runs[kind].map((run) => run[what]).sort((a, b) => a - b)[ROUNDS >> 1]
  const names = {
    threadwise: 'threadwise',
    process: 'BullMQ, sandbox of processes',
    thread: 'BullMQ, sandbox of threads',
  }
  for (const kind of kinds)
    console.log(`${names[kind].padEnd(30)} ${median(kind, 'perSecond').toFixed(0).padStart(5)} jobs of 10 ms per second, round trip p50 ${median(kind, 'tripMs').toFixed(2)} ms`) // prettier-ignore
  for (const kind of kinds.slice(1)) {
    const [rate, trip] = ['perSecond', 'tripMs'].map(
      (what) => median('threadwise', what) / median(kind, what),
    )
    console.log(`over ${names[kind]}: ${rate.toFixed(2)}x the jobs, ${trip.toFixed(2)}x the round trip`)
  }
  console.log(
    `Node ${process.versions.node}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model ?? os.arch()}`,
  )
}

async function speedOf(kind) {
  const queue = `speed-${randomUUID()}`
  const worker = await startWorker(kind, queue, 2, 30_000)
  const caller =
    kind === 'threadwise' ? threadwiseCaller(redis.url, queue) : await bareCaller(redis.url, queue)
  await inLanes(64, 200, () => caller.run('burn', [10])) // warm
  const began = performance.now()
  await inLanes(64, 1000, () => caller.run('burn', [10]))
  const perSecond = 1000 / ((performance.now() - began) / 1000)
  const trips = []
  for (let i = 0; i < 300; i++) {
    const since = performance.now()
    await caller.run('nothing', [])
    trips.push(performance.now() - since)
  }
  await caller.close()
  worker.kill('SIGKILL')
  return { perSecond, tripMs: trips.sort((a, b) => a - b)[trips.length >> 1] }
}

async function inLanes(open, count, call) {
  let left = count
  const lane = async () => {
    while (left-- > 0) await call()
  }
  await Promise.all(Array.from({ length: open }, lane))
}
