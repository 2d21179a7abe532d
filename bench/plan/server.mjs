// A server of a known kind, for bench/plan.mjs: `node server.mjs KIND`.
import { pbkdf2 } from 'node:crypto'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

/** Busy for so long on a 2.5 GHz core, whatever else runs. */
function burn(ms) {
  let x = 1
  for (let round = 0; round < ms * 44_000; round++) x = (x * 16807) % 2147483647
  return x
}

const exponential = (meanMs) => -Math.log(1 - Math.random()) * meanMs

/** So many workers, each of which takes one message at a time. */
function createPool(size) {
  const idle = []
  const waiting = []
  const next = (worker) => {
    const job = waiting.shift()
    if (!job) return idle.push(worker)
    worker.removeAllListeners('message')
    worker.once('message', (result) => {
      job.done(result)
      next(worker)
    })
    worker.postMessage(job.ms)
  }
  for (let index = 0; index < size; index++) next(new Worker(new URL(import.meta.url)))
  return (ms) =>
    new Promise((done) => {
      waiting.push({ ms, done })
      const worker = idle.pop()
      if (worker) next(worker)
    })
}

function allocate(count) {
  const rows = Array.from({ length: count }, (_, id) => ({
    id,
    name: `row ${id}`,
    tags: [id, id + 1],
    at: new Date(id),
  }))
  return JSON.stringify(rows).length
}

const kinds = {
  tiny: () => ({ '/': () => burn(0.3) }),
  short: () => ({ '/': () => burn(1) }),
  middle: () => ({ '/': () => burn(5) }),
  long: () => ({ '/': () => burn(30) }),
  random: () => ({ '/': () => burn(exponential(6)) }),
  mixed: () => ({ '/report': () => burn(25), '/health': () => burn(0.2) }),
  two: () => ({ '/a': () => burn(3), '/b': () => burn(9) }),
  upstream: () => ({ '/': async () => (burn(1), await delay(40 + 20 * Math.random()), burn(2)) }),
  mixedUpstream: () => ({ '/slow': async () => (await delay(80), burn(1)), '/fast': () => burn(4) }),
  pool: () => {
    const run = createPool(2)
    return { '/': async () => (burn(0.5), await run(8)) }
  },
  libuv: () => ({ '/': () => new Promise((done) => pbkdf2('a', 'b', 8000, 32, 'sha256', done)) }),
  allocating: () => ({ '/': () => allocate(4000) }),
}

if (isMainThread) {
  const routes = kinds[process.argv[2]]()
  createServer(async (request, response) => {
    const work = routes[request.url]
    if (!work) return response.writeHead(404).end()
    response.end(String(await work()))
  }).listen(process.env.PORT)
} else parentPort.on('message', (ms) => parentPort.postMessage(burn(ms)))
