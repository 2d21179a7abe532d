// Checks the model behind predictions on limits that can be measured: each one is predicted from the others.
//
//   node bench/predictions.mjs                      the tasks below at 0.25, 0.5, 1 and 2 CPUs (about 8 minutes)
//   node bench/predictions.mjs compute              the tasks whose name holds this word
//   node bench/predictions.mjs --json results.json  from results of `measure --cpus ... --json`, without measuring
//
// Predicted are ratios to inline: between two comparisons the machine itself may become a quarter faster or slower, and a ratio does not
// notice. The error is that of the measured value, so it holds its noise; the interval is printed beside.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { ratioAt } from '../build/measure/demand-model.js'
import { measure } from 'threadwise/measure'

const LIMITS = [0.25, 0.5, 1, 2]
const MAX_ERROR = 0.1
const tasks = new URL('./verdict-tasks.js', import.meta.url)

const cases = [
  { name: 'compute 1 ms', task: 'compute', args: [[240_000]] },
  { name: 'allocations', task: 'allocate', args: [[300]] },
  { name: 'timer 5 ms', task: 'timer', args: [[5]] },
]

async function measureCase({ task, args }) {
  return measure(tasks, { task, args, cpus: LIMITS, sizes: [1, 2], budget: 160, precision: 0.03 })
}

/** Of each cell but inline, at each limit. */
function check(name, { cells, workload }) {
  const errors = []
  for (const cell of cells.filter(({ executor, ratio }) => executor !== 'inline' && ratio.value > 0)) {
    const others = cells.filter(({ cpus, variant }) => cpus !== cell.cpus && variant === cell.variant)
    const predicted = ratioAt(others, cell, workload.scout[cell.variant])
    if (predicted === null) continue
    const error = predicted / cell.ratio.value - 1
    errors.push(error)
    const { value, low, high } = cell.ratio
    const measured = `${value.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
    const mark = Math.abs(error) > MAX_ERROR ? 'OFF  ' : '     '
    console.log(
      `${mark}${name}, ${cell.executor} ${cell.size} at ${cell.cpus} CPUs: predicted ${predicted.toFixed(2)}, measured ${measured}, ${(100 * error).toFixed(1)} %`,
    )
  }
  return errors
}

const { values, positionals } = parseArgs({ options: { json: { type: 'string' } }, allowPositionals: true })
const errors = []
if (values.json) errors.push(...check(values.json, JSON.parse(readFileSync(values.json, 'utf8'))))
else
  for (const one of cases.filter(({ name }) => name.includes(positionals[0] ?? ''))) {
    const result = await measureCase(one)
    console.log(`${one.name}: machine ${result.noise.verdict}, others used ${result.noise.otherCpus} CPUs`)
    errors.push(...check(one.name, result))
  }
const off = errors.filter((error) => Math.abs(error) > MAX_ERROR).length
const rms = Math.sqrt(errors.reduce((sum, error) => sum + error * error, 0) / errors.length)
console.log(`${errors.length - off} of ${errors.length} within 10 %, rms ${(100 * rms).toFixed(1)} %`)
process.exitCode = off > 0 ? 1 : 0
