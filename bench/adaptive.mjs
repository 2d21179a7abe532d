// adaptive beside inline and threads on a mixed load: calls of 0 us to 10 ms, some with 100 KB, in three patterns.
//
//   node bench/adaptive.mjs [--rounds 7] [--calls 2000] [--each]
//
// Every round runs each executor once, shuffled, on the same calls. Ratios are those of one round, so that what disturbs the
// machine for longer disturbs both; the interval is Student's t on their logarithms. Each executor has had two rounds to warm up.
// --each measures each task by itself too.
import { parseArgs } from 'node:util'
import { adaptive, inline, threads } from 'threadwise'
import { calibrate } from './adaptive-tasks.mjs'

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    calls: { type: 'string', default: '2000' },
    each: { type: 'boolean', default: false },
  },
})
const rounds = Number(flags.rounds)
const module = new URL('./adaptive-tasks.mjs', import.meta.url)
const executors = {
  inline: inline(module),
  threads: threads(module, { size: 2 }),
  adaptive: adaptive(module, { size: 2 }),
}
const names = Object.keys(executors)
await Promise.all(names.map((name) => executors[name].ready))

const usPerStep = Math.min(...Array.from({ length: 50 }, () => calibrate(200_000)))
const steps = (us) => ({ steps: Math.round(us / usPerStep) })
const data = new Uint8Array(100_000).fill(7)
const page = 'x'.repeat(100_000)
/** share of the calls, task, argument */
const tasks = [
  [0.5, 'nothing', 1],
  [0.2, 'tiny', steps(5)],
  [0.15, 'short', steps(50)],
  [0.05, 'bytes', data],
  [0.05, 'text', page],
  [0.04, 'medium', steps(1000)],
  [0.01, 'long', steps(10_000)],
]

/** The calls go out one by one, from eight callers side by side, or 200 at once. */
const patterns = {
  'one caller': (executor, calls) => callers(1, executor, calls),
  'eight callers': (executor, calls) => callers(8, executor, calls),
  'bursts of 200': async (executor, calls) => {
    for (let from = 0; from < calls.length; from += 200)
      await Promise.all(calls.slice(from, from + 200).map(([task, arg]) => executor.run(task, [arg])))
  },
}

async function callers(count, executor, calls) {
  let next = 0
  const call = async () => {
    while (next < calls.length) {
      const [task, arg] = calls[next++]
      await executor.run(task, [arg])
    }
  }
  await Promise.all(Array.from({ length: count }, call))
}

const mixed = mixedCalls(Number(flags.calls))
const loads = [['mixed load', mixed]]
if (flags.each)
  for (const [, task, arg] of tasks)
    loads.push([task, new Array({ medium: 100, long: 20 }[task] ?? 1000).fill([task, arg])])

console.log(
  `Node ${process.version}, ${rounds} rounds; above 1 adaptive is faster, or its event loop waits less`,
)
console.log(line(['', 'inline/s', 'threads/s', 'adaptive/s', 'to inline', 'to threads', 'loop ms (i, t, a)', 'to threads'])) // prettier-ignore
for (const [load, calls] of loads)
  for (const [pattern, run] of Object.entries(patterns)) await compare(`${load}, ${pattern}`, run, calls)

console.log('\nwhat adaptive has learned:')
for (const { task, place, reason, calls, runUs, copyUs, handOverUs } of executors.adaptive.stats().decisions)
  console.log(
    `  ${task.padEnd(8)} ${place.padEnd(7)} ${reason.padEnd(13)} inline ${calls.inline}, pool ${calls.pool}; ` +
      `runs ${runUs?.toFixed(1)} us, copy ${copyUs.toFixed(1)} us, hand over ${handOverUs.toFixed(1)} us`,
  )
await Promise.all(names.map((name) => executors[name].close()))

async function compare(title, run, calls) {
  const rates = Object.fromEntries(names.map((name) => [name, []]))
  const delays = Object.fromEntries(names.map((name) => [name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const name of shuffled(names)) {
      const { seconds, delayMs } = await watched(() => run(executors[name], calls))
      if (round < 0) continue
      rates[name].push(calls.length / seconds)
      delays[name].push(delayMs)
    }
  }
  const to = (other, of, isTime) => {
    const ratios = of.adaptive.map((own, i) => Math.log(isTime ? of[other][i] / own : own / of[other][i]))
    return interval(ratios)
  }
  console.log(
    line([
      title,
      ...names.map((name) => Math.round(median(rates[name]))),
      to('inline', rates),
      to('threads', rates),
      names.map((name) => median(delays[name]).toFixed(1)).join(', '),
      to('threads', delays, true),
    ]),
  )
}

/** `delayMs`: for how long an event that comes at any time waits for the loop, on average. */
async function watched(run) {
  const gaps = []
  let last = performance.now()
  const timer = setInterval(() => {
    const now = performance.now()
    gaps.push(now - last)
    last = now
  }, 1)
  const started = last
  await run()
  const seconds = (performance.now() - started) / 1000
  await new Promise((resolve) => setTimeout(resolve, 5)) // what has held up the loop until now counts too
  clearInterval(timer)
  return {
    seconds,
    delayMs: gaps.reduce((sum, gap) => sum + gap * gap, 0) / gaps.reduce((a, b) => a + b) / 2,
  }
}

/** The same for all, and the same each time. */
function mixedCalls(count) {
  let seed = 1
  return Array.from({ length: count }, () => {
    seed = (seed * 48271) % 2147483647
    let left = seed / 2147483647
    const [, task, arg] = tasks.find(([share]) => (left -= share) < 0) ?? tasks[0]
    return [task, arg]
  })
}

/** Of logarithms: "1.02 (0.97-1.07)", the mean and its 95 % interval. */
function interval(logs) {
  const n = logs.length
  const mean = logs.reduce((a, b) => a + b) / n
  if (n < 2) return Math.exp(mean).toFixed(2)
  const variance = logs.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1)
  const t = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26][n - 2] ?? 2.1
  const half = t * Math.sqrt(variance / n)
  const [low, high] = [mean - half, mean + half].map((value) => Math.exp(value).toFixed(2))
  return `${Math.exp(mean).toFixed(2)} (${low}-${high})`
}

function line(cells) {
  return cells.map((cell, i) => (i === 0 ? String(cell).padEnd(28) : String(cell).padStart(i < 4 ? 11 : 22))).join('') // prettier-ignore
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}

function shuffled(list) {
  return list.map((item) => [Math.random(), item]).sort(([a], [b]) => a - b).map(([, item]) => item) // prettier-ignore
}
