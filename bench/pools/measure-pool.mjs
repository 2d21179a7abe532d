// Measures one pool in this process and prints one line of JSON: node measure-pool.mjs POOL
import { adapters } from './adapters.mjs'
import { burn } from './tasks.mjs'

const WORKERS = 2
const WINDOW_MS = 400
const COLD_MS = 1500
const object = { id: 17, name: 'a small object', values: [1.5, 2, 3, 4.25, 5, 6, 7, 8.125] }
const text = 'x'.repeat(1024)

const pool = await adapters[process.argv[2]](WORKERS)
if ((await pool.call('echo', object)).values[7] !== 8.125) throw new Error('a wrong result')

const result = {
  'no-op/s, 1000 in flight': await throughput('noop', 1, 1000),
  'no-op/s, 8 in flight': await throughput('noop', 1, 8),
  'round trip, us': await roundTrip(),
  'round trip after 4 ms of quiet, us': await roundTrip(4),
  'small object/s': await throughput('echo', object, 1000),
  '1 KB string/s': await throughput('echo', text, 1000),
  '100,000 no-ops, /s': await many(),
  '5 us tasks, x inline': await speedUp(5),
  '50 us tasks, x inline': await speedUp(50),
}
console.log(JSON.stringify(result))
await pool.close()
process.exit() // not every pool lets its process end

/** Calls per second with `inFlight` open, after a warm-up of the same length. */
async function throughput(name, arg, inFlight) {
  let done = 0
  let isOver = false
  const lane = async () => {
    while (!isOver) {
      await pool.call(name, arg)
      done++
    }
  }
  const lanes = Array.from({ length: inFlight }, lane)
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS))
  const before = done
  const started = performance.now()
  await new Promise((resolve) => setTimeout(resolve, WINDOW_MS))
  const rate = ((done - before) * 1000) / (performance.now() - started)
  isOver = true
  await Promise.all(lanes)
  return rate
}

/** Microseconds: the median of single calls, without the earlier half. `quietMs`: before each. */
async function roundTrip(quietMs = 0) {
  const times = []
  const ms = quietMs > 0 ? COLD_MS : 2 * WINDOW_MS
  for (const end = performance.now() + ms; performance.now() < end;) {
    if (quietMs > 0) await new Promise((resolve) => setTimeout(resolve, quietMs))
    const started = performance.now()
    await pool.call('noop', 1)
    times.push(performance.now() - started)
  }
  const later = times.slice(times.length >> 1).sort((a, b) => a - b)
  return later[later.length >> 1] * 1000
}

/** As a user would write it: map() where the pool has one, run() in a loop elsewhere. */
async function many() {
  const inputs = Array.from({ length: 100_000 }, (_, i) => i)
  const run = () =>
    pool.map ? pool.map('noop', inputs) : Promise.all(inputs.map((i) => pool.call('noop', i)))
  await run()
  const started = performance.now()
  await run()
  return (inputs.length * 1000) / (performance.now() - started)
}

/** Throughput of tasks of `us` microseconds over that of the same function called here. */
async function speedUp(us) {
  const divisions = Math.round(us * divisionsPerUs())
  const until = performance.now() + WINDOW_MS
  const started = performance.now()
  let calls = 0
  while (performance.now() < until) for (let i = 0; i < 16; i++, calls++) burn(divisions)
  const inline = (calls * 1000) / (performance.now() - started)
  return (await throughput('burn', divisions, 256)) / inline
}

function divisionsPerUs() {
  for (let i = 0; i < 200; i++) burn(10_000)
  const started = performance.now()
  for (let i = 0; i < 200; i++) burn(10_000)
  return 2_000_000 / ((performance.now() - started) * 1000)
}
