// Checks verdicts against truth, on real tasks whose right answer is known. Needs a quiet machine with two CPUs.
//
//   node bench/verdicts.mjs                  every case once (about 20 minutes)
//   node bench/verdicts.mjs compute          the cases whose name holds this word
//   node bench/verdicts.mjs --reference      each case also for 80 s without an early end: errors of the ratios
//   node bench/verdicts.mjs --aa 60          false alarms of equal pairs over so many runs
//   node bench/verdicts.mjs --json out.json  what was found, for comparing two versions
//
// Right is an advice that is among those named. "Cannot tell" is not right where the truth is a gain of 1.3 or more; it is never
// wrong, and counted apart. Wrong is any other advice, and a gain of an executor that cannot have one (`noGain`), advised or not.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { measurableCpus } from '../build/cpu/cpu-budget.js'
import { measure } from 'threadwise/measure'

const tasks = new URL('./verdict-tasks.js', import.meta.url)
const port = new URL('./verdict-port-tasks.js', import.meta.url)
const big = new URL('./big.workload.js', import.meta.url)
const MS = 240_000 // divisions of a millisecond, about

const numbers = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011)
const [threads2, keep, concurrent] = [['threads 2'], ['inline 1'], ['concurrent 8', 'concurrent 64']]
const pools = ['threads', 'processes']

/** A task that only computes gains as much as its limit has CPUs for it, and from calls that are open in one thread nothing. */
const computing = (name, divisions, cpus, right = cpus > 1 ? threads2 : keep) => ({
  ...{ name: `compute ${name} at ${cpus}`, task: 'compute', args: [[divisions]], cpus, right },
  noGain: ['concurrent', ...(cpus <= 1 ? pools : [])],
})

const cases = [
  { name: 'nanoseconds at 2', task: 'nanoseconds', args: [[1, 2]], cpus: 2, right: keep },
  { name: 'nanoseconds at 0.6', task: 'nanoseconds', args: [[1, 2]], cpus: 0.6, right: keep },
  ...[0.25, 0.5, 0.6, 1, 1.5, 2].map((cpus) => computing('5 ms', 5 * MS, cpus)),
  ...[0.6, 2].map((cpus) => computing('50 us', MS / 20, cpus)),
  computing('20 ms', 20 * MS, 0.6),
  computing('1 ms', MS, 2),
  computing('50 ms', 50 * MS, 2),
  computing('1 s', 1000 * MS, 2),
  {
    name: 'timer 1 ms at 2',
    task: 'timer',
    args: [[1]],
    cpus: 2,
    // 60,000 timers a second fill the caller's thread: another one takes half of that work away.
    right: [...concurrent, 'threads 1', 'threads 2', 'processes 1', 'processes 2'],
  },
  { name: 'timer 20 ms at 2', task: 'timer', args: [[20]], cpus: 2, right: concurrent },
  { name: 'timer 20 ms at 0.6', task: 'timer', args: [[20]], cpus: 0.6, right: concurrent },
  { name: 'timer 2 s at 2', task: 'timer', args: [[2000]], cpus: 2, right: concurrent },
  { name: 'file reads at 2', task: 'readText', cpus: 2, right: [...threads2, ...concurrent, 'processes 2'] },
  { name: 'libuv pool at 2', task: 'hash', args: [[5000]], cpus: 2, right: concurrent },
  { name: 'big arguments at 2', file: big, cpus: 2, right: keep, finds: 'copy-bound' },
  { name: 'allocations at 2', task: 'allocate', args: [[300]], cpus: 2, right: [...threads2, 'processes 2'] },
  { name: 'memory walk at 2', task: 'walk', args: [[100_000]], cpus: 2, right: [...threads2, 'processes 2'] },
  { name: 'leak at 2', task: 'leak', args: [[4096]], cpus: 2, finds: 'leak' },
  {
    name: 'throws once in ten at 2',
    task: 'throwOnceInTen',
    args: [[5 * MS]],
    cpus: 2,
    right: threads2,
    finds: 'errors',
  },
  { name: 'bimodal at 2', task: 'bimodal', args: [[MS]], cpus: 2, right: threads2 },
  { name: 'warm-up of 2 s at 2', task: 'warming', args: [[5 * MS]], cpus: 2, right: threads2 },
  {
    name: 'sorts in place at 2',
    task: 'sortInPlace',
    args: [[numbers]],
    cpus: 2,
    right: threads2,
    finds: 'fresh-inputs',
  },
  { name: 'generator at 2', task: 'pieces', args: [[4, MS]], cpus: 2, right: [...threads2, 'processes 2'] },
  {
    name: 'binds a port at 2',
    file: port,
    task: 'compute',
    args: [[5 * MS]],
    cpus: 2,
    right: keep,
    finds: 'not-side-by-side',
  },
]

const nameOf = ({ executor, size }) => `${executor} ${size}`

function judge({ right, finds, noGain = [] }, { advice: [advice], cells }) {
  if (cells.some(({ executor, verdict }) => verdict === 'faster' && noGain.includes(executor))) return 'WRONG'
  const isFound = finds === undefined || advice.reasons.some(({ id }) => id === finds)
  if (right === undefined) return isFound ? 'right' : 'WRONG'
  if (!advice.isSettled && advice.verdict === 'cannot-tell') return 'cannot tell'
  return right.includes(nameOf(advice)) && isFound ? 'right' : 'WRONG'
}

async function measureCase({ file = tasks, task, args, cpus }, more = {}) {
  return measure(file, {
    task,
    args,
    cpus: [Math.min(cpus, measurableCpus())],
    sizes: [1, 2],
    quick: true,
    ...more,
  })
}

async function runCases(word, { reference }) {
  const outcomes = []
  for (const one of cases.filter(({ name }) => name.includes(word))) {
    const started = performance.now()
    const result = await measureCase(one)
    const seconds = (performance.now() - started) / 1000
    const verdict = judge(one, result)
    console.log(
      `${verdict.padEnd(11)} ${one.name} (${seconds.toFixed(0)} s, machine ${result.noise.verdict})`,
    )
    console.log(`            ${result.advice[0].sentence}`)
    const errors = reference ? errorsOf(result, await measureCase(one, { budget: 80, precision: 0.001 })) : []
    outcomes.push({ name: one.name, verdict, seconds, machine: result.noise.verdict, errors, cells: result.cells.map(({ executor, size, ratio }) => ({ executor, size, ratio })) }) // prettier-ignore
  }
  return outcomes
}

/** Of the logarithm of the best ratio, against that of the long run. */
function errorsOf({ cells }, long) {
  const best = long.cells.filter(({ executor, ratio }) => executor !== 'inline' && ratio.value > 0).sort((a, b) => b.ratio.value - a.ratio.value)[0] // prettier-ignore
  const same = best && cells.find((cell) => nameOf(cell) === nameOf(best))
  if (!same || !(same.ratio.value > 0)) return []
  const error = Math.log(same.ratio.value / best.ratio.value)
  console.log(
    `            ${nameOf(best)}: ${same.ratio.value.toFixed(2)}, and ${best.ratio.value.toFixed(2)} in 80 s (${(100 * error).toFixed(1)} %)`,
  )
  return [error]
}

function tell(outcomes) {
  const count = (verdict) => outcomes.filter((outcome) => outcome.verdict === verdict).length
  const errors = outcomes.flatMap((outcome) => outcome.errors)
  const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
  console.log(
    `${count('right')} of ${outcomes.length} right, ${count('cannot tell')} cannot tell, ${count('WRONG')} wrong`,
  )
  if (errors.length > 0) console.log(`rms of the error against 80 s: ${(100 * rms).toFixed(1)} %`)
  return count('WRONG') > 0 || count('right') < 0.95 * outcomes.length || rms > 0.07 ? 1 : 0
}

async function countFalseAlarms(runs) {
  let alarms = 0
  for (let run = 0; run < runs; run++) {
    const options = { task: 'compute', args: [[MS]], executors: ['concurrent'], concurrency: [1] }
    const result = await measure(tasks, { ...options, budget: 10, cpus: [measurableCpus()] })
    const { verdict, ratio, windows } = result.cells.find(({ executor }) => executor === 'concurrent')
    if (verdict === 'faster' || verdict === 'slower') alarms++
    const interval = `${ratio.value.toFixed(3)} (${ratio.low.toFixed(3)} to ${ratio.high.toFixed(3)})`
    console.log(`run ${run + 1}: ${verdict}, ${interval}, ${windows} windows, ${result.noise.verdict}`)
  }
  console.log(`${alarms} false alarms in ${runs} runs (${((100 * alarms) / runs).toFixed(1)} %)`)
  return alarms / runs > 0.02 ? 1 : 0
}

const { values, positionals } = parseArgs({
  options: { aa: { type: 'string' }, reference: { type: 'boolean' }, json: { type: 'string' } },
  allowPositionals: true,
})
if (values.aa) process.exitCode = await countFalseAlarms(Number(values.aa))
else {
  const outcomes = await runCases(positionals[0] ?? '', { reference: values.reference === true })
  if (values.json) writeFileSync(values.json, JSON.stringify(outcomes, null, 2))
  process.exitCode = tell(outcomes)
}
