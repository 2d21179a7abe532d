// `threadwise serve` beside bare node:cluster and PM2: the same server in two instances, all three started, load on one after the other in
// each round, in another order each time. Ratios to node:cluster are of the same round, with their intervals: on a busy
// machine only these mean anything. All are started anew several times, and the intervals are those over the starts: two starts of the very
// same cluster differ by some percent for as long as they run. Then the memory of the primaries, and a soak of reloads under load.
//
//   npm install --prefix bench/serve pm2        without it PM2 is left out
//   node bench/serve.mjs [--starts 8] [--rounds 4] [--duration 1] [--reloads 100] [--requests 1000000] [--connections 64]
import { spawn, spawnSync, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load } from '../build/measure/load/load.js'
import { combine } from '../build/measure/stats/random-effects.js'
import { logRatio } from '../build/measure/stats/ratio-estimator.js'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const { values } = parseArgs({
  options: {
    starts: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '4' },
    duration: { type: 'string', default: '1' },
    reloads: { type: 'string', default: '100' },
    requests: { type: 'string', default: '1000000' },
    connections: { type: 'string', default: '64' },
    pm2: { type: 'string', default: here('serve/node_modules/.bin/pm2') },
  },
})
const server = here('serve/server.cjs')
const folder = mkdtempSync(join(os.tmpdir(), 'threadwise-bench-'))

/** What is asked of them: connections that stay, and a connection for each request. */
const LOADS = {
  'connections that stay': { connections: 32 },
  'a connection for each request': { connections: 32, headers: { connection: 'close' } },
}

const isPm2There = existsSync(values.pm2)
if (!isPm2There) console.error('PM2 is not installed, and is left out.')
await compare()
if (Number(values.reloads) > 0) await soak()
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
console.log(
  `Node ${process.versions.node}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model ?? os.arch()}`,
)

async function compare() {
  /** By load and contestant: one ratio for each start. */
  const logs = new Map()
  for (let start = 1; start <= Number(values.starts); start++) {
    const contestants = []
    try {
      contestants.push(
        await startCluster(),
        await startThreadwise(),
        ...(isPm2There ? [await startPm2()] : []),
      )
      for (const title of Object.keys(LOADS)) await compareUnder(title, contestants, logs)
      if (start === Number(values.starts)) compareMemory(contestants)
    } finally {
      for (const { end } of contestants) await end() // before the next ones start: they would share the CPUs
    }
  }
  for (const [title, ratios] of logs) printRatio(title, ratios)
}

async function compareUnder(title, contestants, logs) {
  const rates = new Map(contestants.map(({ name }) => [name, []]))
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const { name, url } of shuffled(contestants)) {
      const run = { ...LOADS[title], duration: Number(values.duration), warmup: 0.5 }
      const { throughput, errors } = await load(url, run)
      if (errors > 0) console.error(`${name}: ${errors} errors`)
      if (round >= 0) rates.get(name).push(throughput) // the first one is to warm up
    }
  }
  for (const { name } of contestants.slice(1)) {
    const pairs = rates.get(name).map((rate, round) => ({ rate, base: rates.get('node:cluster')[round] }))
    const key = `${title}: ${name}`
    logs.set(key, [...(logs.get(key) ?? []), logRatio(pairs)])
  }
}

function printRatio(title, logs) {
  const { mean, sd } = combine(logs)
  const [value, low, high] = [0, -1.96, 1.96].map((reach) => Math.exp(mean + reach * sd).toFixed(3))
  console.log(`${title.padEnd(44)} ${value} of node:cluster  [${low}, ${high}]`)
}

function compareMemory(contestants) {
  console.log('memory of the primary (RSS, and private to it):')
  const [{ pid: plain }] = contestants
  for (const { name, pid } of contestants) {
    const { rss, own } = memoryOf(pid)
    const more = rss - memoryOf(plain).rss
    console.log(`  ${name.padEnd(14)} ${inMb(rss)}, ${inMb(own)}; ${inMb(more)} more than node:cluster`)
  }
}

async function startCluster() {
  const port = await freePort()
  const child = spawn(process.execPath, [here('serve/plain-cluster.cjs'), server], {
    env: { ...process.env, PORT: port },
  })
  return started('node:cluster', port, child.pid, () => ended(child))
}

async function startThreadwise() {
  const port = await freePort()
  const env = { ...process.env, PORT: port, XDG_RUNTIME_DIR: folder }
  const child = spawn(process.execPath, [here('../build/cli/main.js'), 'serve', server, '-i', '2'], { env })
  return started('threadwise', port, child.pid, () => ended(child))
}

async function startPm2() {
  const port = await freePort()
  const env = { ...process.env, PORT: port, PM2_HOME: join(folder, 'pm2') }
  const run = (...args) => spawnSync(process.execPath, [values.pm2, ...args], { env, encoding: 'utf8' })
  run('start', server, '-i', '2')
  const pid = Number(readFileSync(join(folder, 'pm2/pm2.pid'), 'utf8'))
  return started('PM2', port, pid, () => run('kill'))
}

async function ended(child) {
  const exit = new Promise((resolve) => child.once('exit', resolve))
  child.kill()
  await exit
}

async function started(name, port, pid, end) {
  const url = `http://127.0.0.1:${port}/`
  const answers = () => fetch(url).then((response) => response.ok, () => false) // prettier-ignore
  while (!(await answers())) await new Promise((resolve) => setTimeout(resolve, 50))
  return { name, url, pid, end }
}

async function soak() {
  const port = await freePort()
  const child = fork(here('serve/soak.mjs'), [server, values.reloads, values.requests], {
    ...{ execArgv: ['--expose-gc'], env: { ...process.env, PORT: port } },
  })
  console.log(
    `\nsoak: ${values.reloads} reloads and ${values.requests} requests under ${values.connections} connections`,
  )
  let isDone = false
  child.on('message', (message) => {
    if (message === 'done') return (isDone = true)
    const { reload, rss, heapUsed, handles, crashes } = message
    console.log(
      `  ${reload} reloads: RSS ${inMb(rss)}, heap ${inMb(heapUsed)}, ${handles} handles, ${crashes} crashes`,
    )
  })
  const sum = { requests: 0, errors: 0 }
  const { end } = await started('soak', port, child.pid, () => child.connected && child.send('end'))
  while (!isDone && child.connected) {
    const run = { connections: Number(values.connections), duration: 2, warmup: 0 }
    const { requests, errors } = await load(`http://127.0.0.1:${port}/`, run)
    sum.requests += requests
    sum.errors += errors
    if (child.connected) child.send(sum.requests)
  }
  end()
  console.log(`  ${sum.requests} requests, ${sum.errors} errors`)
}

function memoryOf(pid) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const bytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)[1]) * 1024
  return { rss: bytes('Rss'), own: bytes('Private_Dirty') }
}

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address()
  await new Promise((resolve) => probe.close(resolve))
  return port
}

function shuffled(list) {
  return list
    .map((item) => ({ item, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

function inMb(bytes) {
  return `${(bytes / 1024 ** 2).toFixed(1)} MB`
}
