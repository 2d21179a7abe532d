// Pools of more workers than CPUs: calls a second with 1000 open, empty ones and such of 20 us, and how that is to a pool of one worker for
// each CPU. Each size is a fresh process, round by round in turn; medians of the rounds.
//
//   node bench/crowd.mjs [--executor threads] [--sizes 16,64] [--rounds 3]
import { spawnSync } from 'node:child_process'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import * as threadwise from 'threadwise'

const OPEN = 1000
const cases = { empty: ['nothing'], '20 us': ['spin', 20] }
const self = fileURLToPath(import.meta.url)

if (process.env.CROWD_SIZE) await measure(process.env.CROWD_EXECUTOR, Number(process.env.CROWD_SIZE))
else compare()

async function measure(executor, size) {
  const pool = threadwise[executor](new URL('./crowd-tasks.mjs', import.meta.url), { size })
  await pool.ready
  const rates = {}
  for (const [title, [name, ...args]] of Object.entries(cases)) {
    await rateOf(() => pool.run(name, args), 500)
    rates[title] = await rateOf(() => pool.run(name, args), 1000)
  }
  console.log(JSON.stringify(rates))
  await pool.close()
}

async function rateOf(call, ms) {
  let done = 0
  const started = performance.now()
  const callAgain = async () => {
    for (; performance.now() - started < ms; done++) await call()
  }
  await Promise.all(Array.from({ length: OPEN }, callAgain))
  return (done / (performance.now() - started)) * 1000
}

function compare() {
  const { values } = parseArgs({
    options: {
      executor: { type: 'string', default: 'threads' },
      sizes: { type: 'string', default: '16,64' },
      rounds: { type: 'string', default: '3' },
    },
  })
  const cpus = Math.ceil(threadwise.cpuBudget().cpus)
  const sizes = [cpus, ...values.sizes.split(',').map(Number)]
  const runs = new Map(sizes.map((size) => [size, []]))
  for (let round = 0; round < Number(values.rounds); round++)
    for (const [size, rates] of runs) rates.push(inProcess(values.executor, size))
  for (const title of Object.keys(cases)) {
    const medians = sizes.map((size) => median(runs.get(size).map((rates) => rates[title])))
    const cells = medians.map(
      (rate, i) => `${sizes[i]} workers ${Math.round(rate)}/s (${(rate / medians[0]).toFixed(2)})`,
    )
    console.log(`${title.padEnd(6)} ${cells.join('   ')}`)
  }
  console.log(
    `Node ${process.versions.node}, ${os.availableParallelism()} CPUs, medians of ${values.rounds} rounds`,
  )
}

function inProcess(executor, size) {
  const env = { ...process.env, CROWD_EXECUTOR: executor, CROWD_SIZE: String(size) }
  const { stdout, stderr } = spawnSync(process.execPath, [self], { env, encoding: 'utf8' })
  if (!stdout.startsWith('{')) throw new Error(stderr.slice(-500))
  return JSON.parse(stdout)
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}
