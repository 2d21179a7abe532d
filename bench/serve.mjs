// `threadwise serve` beside bare node:cluster and PM2: the same server in two instances, all three started, load on one after the other in
// each round, in another order each time. Ratios to node:cluster are of the same round, with their intervals: on a busy
// machine only these mean anything. Then the memory of the primaries, and a soak of reloads under load.
//
//   npm install --prefix bench/serve pm2        without it PM2 is left out
//   node bench/serve.mjs [--rounds 10] [--duration 2] [--reloads 200] [--requests 1000000]
import { spawn, spawnSync, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load } from '../dist/load/load.js'
import { bootstrapRatio } from '../dist/measure/bootstrap.js'
import { createRandom } from '../dist/measure/random.js'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    duration: { type: 'string', default: '2' },
    reloads: { type: 'string', default: '200' },
    requests: { type: 'string', default: '1000000' },
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

const contestants = []
try {
  contestants.push(await startCluster(), await startThreadwise())
  if (existsSync(values.pm2)) contestants.push(await startPm2())
  else console.error('PM2 is not installed, and is left out.')
  await compare()
  compareMemory()
} finally {
  for (const { end } of contestants) end()
}
if (Number(values.reloads) > 0) await soak()
rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
console.log(
  `Node ${process.versions.node}, ${os.availableParallelism()} CPUs, ${os.cpus()[0]?.model ?? os.arch()}`,
)

async function compare() {
  for (const [title, options] of Object.entries(LOADS)) {
    const rates = new Map(contestants.map(({ name }) => [name, []]))
    for (let round = -1; round < Number(values.rounds); round++) {
      for (const { name, url } of shuffled(contestants)) {
        const run = { ...options, duration: Number(values.duration), warmup: 0.5 }
        const { throughput, errors } = await load(url, run)
        if (errors > 0) console.error(`${name}: ${errors} errors`)
        if (round >= 0) rates.get(name).push(throughput) // the first one is to warm up
      }
    }
    console.log(`\n${title}, requests per second over node:cluster:`)
    for (const { name } of contestants.slice(1)) {
      const logs = rates.get(name).map((rate, round) => Math.log(rate / rates.get('node:cluster')[round]))
      const ratio = bootstrapRatio(logs, createRandom(1))
      const { low, high } = ratio.interval()
      console.log(`  ${name.padEnd(14)} ${ratio.value.toFixed(3)}  [${low.toFixed(3)}, ${high.toFixed(3)}]`)
    }
  }
}

function compareMemory() {
  console.log('\nmemory of the primary after that (RSS, and private to it):')
  const of = (name) => contestants.find((contestant) => contestant.name === name)
  for (const { name, pid } of contestants) {
    const { rss, own } = memoryOf(pid)
    const more = rss - memoryOf(of('node:cluster').pid).rss
    console.log(`  ${name.padEnd(14)} ${inMb(rss)}, ${inMb(own)}; ${inMb(more)} more than node:cluster`)
  }
}

async function startCluster() {
  const port = await freePort()
  const child = spawn(process.execPath, [here('serve/plain-cluster.cjs'), server], {
    env: { ...process.env, PORT: port },
  })
  return started('node:cluster', port, child.pid, () => child.kill())
}

async function startThreadwise() {
  const port = await freePort()
  const env = { ...process.env, PORT: port, XDG_RUNTIME_DIR: folder }
  const child = spawn(process.execPath, [here('../dist/cli/main.js'), 'serve', server, '-i', '2'], { env })
  return started('threadwise', port, child.pid, () => child.kill())
}

async function startPm2() {
  const port = await freePort()
  const env = { ...process.env, PORT: port, PM2_HOME: join(folder, 'pm2') }
  const run = (...args) => spawnSync(process.execPath, [values.pm2, ...args], { env, encoding: 'utf8' })
  run('start', server, '-i', '2')
  const pid = Number(readFileSync(join(folder, 'pm2/pm2.pid'), 'utf8'))
  return started('PM2', port, pid, () => run('kill'))
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
  console.log(`\nsoak: ${values.reloads} reloads and ${values.requests} requests`)
  child.on('message', ({ reload, rss, heapUsed, handles, crashes }) => {
    console.log(
      `  ${reload} reloads: RSS ${inMb(rss)}, heap ${inMb(heapUsed)}, ${handles} handles, ${crashes} crashes`,
    )
  })
  const over = new Promise((resolve) => child.once('exit', resolve))
  let isOver = false
  void over.then(() => (isOver = true))
  const sum = { requests: 0, errors: 0 }
  const { end } = await started('soak', port, child.pid, () => {})
  while (!isOver) {
    const { requests, errors } = await load(`http://127.0.0.1:${port}/`, {
      connections: 16,
      duration: 2,
      warmup: 0,
    })
    if (isOver) break // the port is closed at the end
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
