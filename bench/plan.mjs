// Checks what `threadwise plan` predicts against servers of known kinds that really run under CPU limits.
//
//   node bench/plan.mjs                          all kinds, each under 0.5, 1 and 2 CPUs at 50 and 70 % use: about an hour
//   node bench/plan.mjs short mixed --cpus 0.5 --seconds 10
//   node bench/plan.mjs --json plan.json         also what was calibrated, to try another model on the same figures
//
// Needs a quiet machine with two CPUs or more, and rights on cgroups. The load of the machine stands beside each figure; what plan itself would
// refuse is listed as refused, and does not count.
import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { cpuBudget } from '../build/cpu/cpu-budget.js'
import { openCpuLimit } from '../build/cpu/limit/limit-child.js'
import { calibrate } from '../build/measure/plan/calibrate.js'
import { formsOf, rateAt } from '../build/measure/plan/candidates.js'
import { checkRanked } from '../build/measure/plan/check-plan.js'
import { draw, rangeOf } from '../build/measure/plan/draws.js'
import { startServer } from '../build/measure/server/start-server.js'
import { createRandom } from '../build/measure/stats/random.js'

const KINDS = {
  ...{ tiny: ['/'], short: ['/'], middle: ['/'], long: ['/'], random: ['/'] },
  ...{
    mixed: ['/report', '/health=9'],
    two: ['/a', '/b'],
    upstream: ['/'],
    mixedUpstream: ['/slow', '/fast=2'],
  },
  ...{ pool: ['/'], libuv: ['/'], allocating: ['/'] },
}
const USES = [0.5, 0.7]
const file = fileURLToPath(new URL('plan/server.mjs', import.meta.url))
const { signal } = new AbortController()
const arrivals = { kind: 'poisson' }

const words = process.argv.slice(2)
const option = (name, initial) => (words.includes(name) ? words[words.indexOf(name) + 1] : initial)
const seconds = Number(option('--seconds', '20'))
const limits = option('--cpus', '0.5,1,2').split(',').map(Number)
const json = option('--json', null)
const kinds = words.filter((word) => word in KINDS)
const machine = cpuBudget({ env: {} }).cpus

const rows = []
const calibrations = {}
for (const kind of kinds.length > 0 ? kinds : Object.keys(KINDS)) {
  const paths = KINDS[kind].map((text) => ({
    path: text.split('=')[0],
    weight: Number(text.split('=')[1] ?? 1),
  }))
  const calibration = await calibrateKind(kind, paths)
  calibrations[kind] = calibration
  if (calibration.disturbed) print(kind, '-', '-', `refused: ${calibration.disturbed}`)
  for (const cpus of limits.filter((limit) => limit <= machine))
    for (const use of USES) rows.push(await check({ kind, paths, calibration, cpus, use }))
  if (json !== null) writeFileSync(json, JSON.stringify({ rows, calibrations }))
}
summarize()

async function calibrateKind(kind, paths) {
  const limit = await openCpuLimit(machine)
  const row = { name: kind, way: 'single', path: '/', instances: 1, cpus: machine, role: 'baseline' }
  const server = await startServer({ file, row, args: [kind], env: {}, limit, signal })
  try {
    return await calibrate({ server, paths, rate: 1e6, random: createRandom(1), signal, onPhase: () => {} })
  } finally {
    await server.stop()
    await limit.remove()
  }
}

/** One container of one process, at a rate that uses so much of what limits it. */
async function check({ kind, paths, calibration, cpus, use }) {
  const [form] = formsOf(calibration, null, [cpus])
  const rate = rateAt(form, use)
  const drawn = draw({ calibration, arrivals, rate, seed: 1 }, form.shape, 1)
  const first = { containers: 1, cpus, instances: 1, threads: form.shape.threads, use: drawn.use, p99: rangeOf(drawn.p99s) } // prettier-ignore
  const plan = {
    file,
    args: [kind],
    paths,
    arrivals,
    rate,
    random: createRandom(2),
    signal,
    onPhase: () => {},
  }
  const [{ measured, sentence }] = await checkRanked({ first, rival: null }, plan, { calibration, seconds })
  const refused = calibration.disturbed ?? (/^(Cannot tell|Not checked): (.*)/.exec(sentence)?.[2] || null)
  const { p99 } = first
  const text = measured === null ? sentence : `use ${show(first.use)} / ${show(measured.use)}, p99 ${show(p99.value)} (${show(p99.low)}..${show(p99.high)}) / ${show(measured.p99)} ms, off by ${percent(p99.value / measured.p99 - 1)}` // prettier-ignore
  print(kind, `${cpus} CPU`, percent(use), `${text}${refused === null ? '' : '; does not count'}`)
  return { kind, cpus, use, rate, predicted: first, measured, refused }
}

function print(...parts) {
  console.log(`${parts.join('  ')}  [load ${loadavg()[0].toFixed(1)}]`)
}

function summarize() {
  const told = rows.filter(({ measured, refused }) => measured !== null && refused === null)
  console.log(`\n${rows.length} settings, ${rows.length - told.length} refused.`)
  if (told.length === 0) return
  const share = (isTrue) => `${percent(told.filter(isTrue).length / told.length)} of ${told.length}`
  console.log(
    `use within 10 %:      ${share(({ predicted, measured }) => Math.abs(predicted.use / measured.use - 1) <= 0.1)}`,
  )
  console.log(`p99 within 35 %:      ${share(({ predicted, measured }) => Math.abs(predicted.p99.value / measured.p99 - 1) <= 0.35)}`) // prettier-ignore
  console.log(`80 % intervals hold:  ${share(({ predicted, measured }) => measured.p99 >= predicted.p99.low && measured.p99 <= predicted.p99.high)}`) // prettier-ignore
  const pairs = told.flatMap((a, index) => told.slice(index + 1).flatMap((b) => (a.kind === b.kind && apart(a, b) ? [[a, b]] : []))) // prettier-ignore
  const right = pairs.filter(
    ([a, b]) => a.measured.p99 < b.measured.p99 === a.predicted.p99.value < b.predicted.p99.value,
  )
  console.log(`order of p99s 1.5x apart right: ${right.length} of ${pairs.length}`)
}

function apart(a, b) {
  return Math.max(a.measured.p99 / b.measured.p99, b.measured.p99 / a.measured.p99) >= 1.5
}

function show(value) {
  return value === null ? '-' : String(Number(value.toPrecision(3)))
}

function percent(share) {
  return `${Math.round(100 * share)} %`
}
