// The algorithms of threadwise/parallel on two threads, beside inline and beside what two threads can gain here at all.
//
//   node bench/parallel.mjs [--rounds 7] [--small]
//   npm install --prefix bench/pools        for the column of piscina: Promise.all over a call for each item
//
// The ceiling: two bare worker threads each do half of the work at once, against one of them alone doing its half twice as
// long. On two quiet cores it is 2. All figures are the lower quartiles of the rounds, without the first, since on two
// cores everything else that runs takes from the second thread.
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker, isMainThread, parentPort } from 'node:worker_threads'
import * as tasks from './parallel-tasks.mjs'

if (!isMainThread) {
  parentPort.on('message', ([name, input]) => {
    tasks[name](input)
    parentPort.postMessage(0)
  })
} else {
  await main()
}

async function main() {
  const { inline, threads } = await import('threadwise')
  const { filter, map, mapReduce, reduce, sort } = await import('threadwise/parallel')
  const { values: flags } = parseArgs({
    options: { rounds: { type: 'string', default: '7' }, small: { type: 'boolean', default: false } },
  })
  const rounds = Number(flags.rounds)
  const scale = flags.small ? 0.2 : 1
  const module = new URL('./parallel-tasks.mjs', import.meta.url)
  const pool = threads(module, { size: 2 })
  const here = inline(module)
  const peer = startPiscina()
  await Promise.all([pool.ready, here.ready])
  const overPiscina = (name, items) => Promise.all(items.map((item) => peer.run(item, { name })))
  const bare = [0, 1].map(() => new Worker(new URL(import.meta.url)))
  const ask = (i, name, input) =>
    new Promise((resolve) => {
      bare[i].once('message', resolve)
      bare[i].postMessage([name, input])
    })

  const million = 1_000_000 * scale
  const burns = new Array(200 * scale).fill(60_000)
  const numbers = Array.from({ length: million }, (_, i) => i % 1000)
  const words = Array.from({ length: 4000 * scale }, (_, i) => `word${i % 97} and ${i % 13} `.repeat(40))
  const sharedDoubles = (length) => new Float64Array(new SharedArrayBuffer(8 * length))
  const memory = sharedDoubles(10 * million)
  const unsorted = sharedDoubles(5 * million)
  let seed = 1
  for (let i = 0; i < unsorted.length; i++) unsorted[i] = seed = (seed * 48271) % 2147483647
  const plain = new Float64Array(unsorted.length)
  const shared = sharedDoubles(unsorted.length)
  const ranges = (values, count) =>
    Array.from({ length: count }, (_, i) => ({
      values,
      from: Math.floor((i * values.length) / count),
      to: Math.floor(((i + 1) * values.length) / count),
    }))
  const half = (values) => [0, 1].map((i) => ({ values, from: (i * values.length) / 2, to: ((i + 1) * values.length) / 2 })) // prettier-ignore
  const reset = (array) => () => array.set(unsorted)

  const cases = {
    'map, CPU-bound': {
      one: () => Promise.all(burns.map((steps) => here.run('burn', [steps]))),
      two: () => map(pool, 'burn', burns),
      piscina: () => overPiscina('burn', burns),
      bare: (i) => ask(i, 'burn', 100 * scale * 60_000),
    },
    'map, memory-bound ranges': {
      one: () => Promise.all(ranges(memory, 1).map((range) => here.run('addRange', [range]))),
      two: () => map(pool, 'addRange', ranges(memory, 4), { chunk: 1 }),
      piscina: () => overPiscina('addRange', ranges(memory, 4)),
      bare: (i) => ask(i, 'addRange', half(memory)[i]),
    },
    'sort, shared': {
      before: () => (shared.set(unsorted), plain.set(unsorted)),
      one: () => plain.sort(),
      two: () => sort(pool, shared),
      bare: (i) => ask(i, 'sortRange', half(shared)[i]),
    },
    'sort, plain': {
      before: reset(plain),
      one: () => plain.sort(),
      two: () => sort(pool, plain),
    },
    'filter, tiny task': {
      one: () => Promise.all(numbers.slice(0, 1e5).map((n) => here.run('isOdd', [n]))),
      two: () => filter(pool, 'isOdd', numbers.slice(0, 1e5)),
      piscina: async () => {
        const isWanted = await overPiscina('isOdd', numbers.slice(0, 1e5))
        return numbers.filter((_, i) => isWanted[i])
      },
    },
    'reduce, tiny task': { one: () => numbers.reduce(tasks.add), two: () => reduce(pool, 'add', numbers) },
    'reduce, tiny task, shared': {
      one: () => memory.reduce(tasks.add),
      two: () => reduce(pool, 'add', memory),
    },
    'mapReduce, words': {
      one: () => words.map(tasks.countWords).reduce(tasks.addCounts),
      two: () => mapReduce(pool, { map: 'countWords', reduce: 'addCounts', inputs: words }),
      piscina: async () => (await overPiscina('countWords', words)).reduce(tasks.addCounts),
    },
  }

  console.log(`Node ${process.version}; lower quartiles of ${rounds} rounds, in ms`)
  console.log('case'.padEnd(28) + ['one', 'two', 'speed-up', 'ceiling', 'piscina', 'of it'].map((text) => text.padStart(10)).join('')) // prettier-ignore
  for (const [name, { before, one, two, piscina, bare: raw }] of Object.entries(cases)) {
    const ways = Object.entries({ one, two, ...(peer && piscina && { piscina }) })
    const times = { one: [], two: [], alone: [], both: [], piscina: [] }
    for (let round = 0; round <= rounds; round++) {
      for (const [key, run] of ways) {
        before?.()
        times[key].push(await timed(run))
      }
      if (!raw) continue
      before?.()
      times.alone.push(await timed(() => raw(0)))
      before?.()
      times.both.push(await timed(() => Promise.all([raw(0), raw(1)])))
    }
    const [oneMs, twoMs, aloneMs, bothMs, peerMs] = Object.values(times).map(lowerQuartile)
    const ceiling = raw ? ((2 * aloneMs) / bothMs).toFixed(2) : ''
    const beside = peerMs === undefined ? ['', ''] : [peerMs.toFixed(1), (peerMs / twoMs).toFixed(2)]
    console.log(name.padEnd(28) + [oneMs.toFixed(1), twoMs.toFixed(1), (oneMs / twoMs).toFixed(2), ceiling, ...beside].map((text) => text.padStart(10)).join('')) // prettier-ignore
  }
  await Promise.all([
    pool.close(),
    here.close(),
    peer?.destroy(),
    ...bare.map((worker) => worker.terminate()),
  ])
}

/** Undefined where it is not installed. */
function startPiscina() {
  try {
    const { Piscina } = createRequire(new URL('./pools/', import.meta.url))('piscina')
    return new Piscina({ filename: fileURLToPath(new URL('./parallel-tasks.mjs', import.meta.url)), minThreads: 2, maxThreads: 2 }) // prettier-ignore
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
    return undefined
  }
}

async function timed(run) {
  const started = performance.now()
  await run()
  return performance.now() - started
}

function lowerQuartile(times) {
  const sorted = times.slice(1).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 4)]
}
