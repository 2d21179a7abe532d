// Checks verdicts against truth, on real tasks whose right answer is known. Needs a quiet machine with two CPUs.
//
//   node bench/verdicts.mjs             every case once (about 5 minutes)
//   node bench/verdicts.mjs compute     the cases whose name holds this word
//   node bench/verdicts.mjs --aa 40     false alarms of equal pairs over 40 runs (about 8 minutes)
import { parseArgs } from 'node:util'
import { cpuBudget } from 'threadwise'
import { measure } from 'threadwise/measure'

const tasks = new URL('./verdict-tasks.js', import.meta.url)
const big = new URL('./big.workload.js', import.meta.url)
const DIVISIONS = 1_200_000 // about 5 ms
const quick = { quick: true, sizes: [1, 2] }

const adviceIs = (executor, size) => (result) =>
  result.advice[0].executor === executor && (size === undefined || result.advice[0].size === size)
const finds = (id) => (result) => result.advice[0].reasons.some((reason) => reason.id === id)
const cellOf = (result, executor, size) =>
  result.cells.find((cell) => cell.executor === executor && cell.size === size)

const cases = [
  {
    name: 'nanoseconds: stay inline',
    options: { ...quick, task: 'nanoseconds', args: [[1, 2]] },
    checks: [adviceIs('inline'), (result) => cellOf(result, 'threads', 2).verdict === 'slower'],
  },
  {
    name: 'compute, 5 ms on two CPUs: two threads, 1.7 times or more',
    options: { ...quick, task: 'compute', args: [[DIVISIONS]], cpus: [2] },
    checks: [adviceIs('threads', 2), (result) => cellOf(result, 'threads', 2).ratio.value >= 1.7],
  },
  {
    name: 'compute, 5 ms at 0.6 CPU: no threads',
    options: { ...quick, task: 'compute', args: [[DIVISIONS]], cpus: [0.6] },
    checks: [adviceIs('inline')],
  },
  {
    name: 'timer, 20 ms: concurrent, not threads',
    options: { ...quick, task: 'timer', args: [[20]] },
    checks: [adviceIs('concurrent')],
  },
  {
    name: 'megabytes for little work: copying costs more than it saves',
    file: big,
    options: quick,
    checks: [adviceIs('inline'), finds('copy-bound')],
  },
  {
    name: 'async file reads: the advice is within the band of the best',
    options: { ...quick, task: 'readText' },
    checks: [
      (result) => {
        const [{ executor, size }] = result.advice
        const advised = cellOf(result, executor, size)
        const best = Math.max(
          ...result.cells.filter((c) => c.verdict === 'faster').map((c) => c.ratio.value),
          1,
        )
        return advised.ratio.value * (1 + advised.band) >= best || best < 1.2
      },
    ],
  },
  {
    name: 'an equal pair: same, or cannot tell',
    options: {
      ...quick,
      task: 'compute',
      args: [[DIVISIONS / 5]],
      executors: ['concurrent'],
      concurrency: [1],
    },
    checks: [(result) => ['same', 'cannot-tell'].includes(cellOf(result, 'concurrent', 1).verdict)],
  },
  {
    name: 'a leak is found',
    options: { ...quick, task: 'leak', args: [[4096]], executors: ['inline', 'threads'] },
    checks: [finds('leak')],
  },
  {
    name: 'a task that throws once in ten is measured, and says so',
    options: { ...quick, task: 'throwOnceInTen', args: [[DIVISIONS]], cpus: [2] },
    checks: [finds('errors'), (result) => result.cells.every((cell) => cell.failed === null)],
  },
]

async function runCases(word) {
  let wrong = 0
  for (const { name, file = tasks, options, checks } of cases.filter(({ name }) => name.includes(word))) {
    const started = performance.now()
    const result = await measure(file, options)
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    const failed = checks.filter((check) => !check(result))
    if (failed.length > 0) wrong++
    console.log(
      `${failed.length === 0 ? 'right' : 'WRONG'}  ${name} (${seconds} s, machine ${result.noise.verdict})`,
    )
    console.log(`       ${result.advice[0].sentence}`)
    for (const check of failed) console.log(`       not so: ${check}`)
  }
  return wrong
}

async function countFalseAlarms(runs) {
  const verdicts = {}
  for (let run = 0; run < runs; run++) {
    const options = { task: 'compute', args: [[DIVISIONS / 5]], executors: ['concurrent'], concurrency: [1] }
    const result = await measure(tasks, { ...options, quick: true, cpus: [cpuBudget().cpus] })
    const { verdict, ratio, rounds } = cellOf(result, 'concurrent', 1)
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
    const interval = `${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)}`
    console.log(
      `run ${run + 1}: ${verdict}, ${ratio.value.toFixed(3)} (${interval}), ${rounds} rounds, ${result.noise.verdict}`,
    )
  }
  const alarms = (verdicts.faster ?? 0) + (verdicts.slower ?? 0)
  console.log(`${alarms} false alarms in ${runs} runs (${((100 * alarms) / runs).toFixed(1)} %)`, verdicts)
  return alarms / runs > 0.05 ? 1 : 0
}

const { values, positionals } = parseArgs({ options: { aa: { type: 'string' } }, allowPositionals: true })
const wrong = values.aa ? await countFalseAlarms(Number(values.aa)) : await runCases(positionals[0] ?? '')
process.exitCode = wrong > 0 ? 1 : 0
