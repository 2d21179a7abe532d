// How often `threadwise compare` raises a false alarm, and how often it finds a slowdown that was planted.
//
//   node bench/compare.mjs                                  short: A/A of each task, and 5 % in each
//   node bench/compare.mjs --aa 34 --budget 10              200 comparisons of a version with itself, six workloads
//   node bench/compare.mjs --planted 5 --runs 10 --budget 20
//   node bench/compare.mjs --planted 2 --runs 10 --budget 90
//   node bench/compare.mjs --executor threads --size 2      on an executor: --planted 5 --runs 10 --budget 60
//   node bench/compare.mjs --burners                        beside two programs that burn a CPU by turns
//   node bench/compare.mjs --others 10                      hyperfine, tinybench and mitata on the same, one version after the other
//
// Needs a quiet machine with two CPUs; what others used is printed beside each figure.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { compare, compareServers } from '../dist/measure.js'

const { values: flags } = parseArgs({
  options: {
    aa: { type: 'string' },
    planted: { type: 'string' },
    runs: { type: 'string', default: '1' },
    budget: { type: 'string', default: '10' },
    tasks: { type: 'string', default: 'ns,us50,ms1,ms20,alloc,server' },
    executor: { type: 'string' },
    size: { type: 'string' },
    burners: { type: 'boolean', default: false },
    others: { type: 'string' },
  },
})
const file = new URL('./compare/tasks.js', import.meta.url)
const server = new URL('./compare/server.js', import.meta.url)
const place = { executor: flags.executor, size: flags.size && Number(flags.size) }
const args = { ns: [[7]], us50: [[7]], ms1: [[7]], ms20: [[7]], alloc: [[300]] }
// Servers are not for executors.
const names = flags.tasks.split(',').filter((name) => name !== 'server' || flags.executor === undefined)
const budget = Number(flags.budget)

if (flags.burners) startBurners()
if (flags.others !== undefined) await others(Number(flags.others))
else {
  const isShort = flags.aa === undefined && flags.planted === undefined
  if (isShort || flags.aa !== undefined) await alarms(Number(flags.aa ?? 1))
  if (isShort || flags.planted !== undefined) await planted(Number(flags.planted ?? 5), Number(flags.runs))
}
process.exit()

async function alarms(runs) {
  let [count, falseOnes, untimed] = [0, 0, 0]
  for (const task of names)
    for (let run = 0; run < runs; run++) {
      const { result, isFalse } = await once(task, 0, (verdict) => verdict !== 'same')
      count++
      if (!result.comparisons.some(isTime)) untimed++
      if (isFalse.length > 0) falseOnes++
      print(`A/A ${task}`, result, isFalse.join(', ') || 'none')
    }
  console.log(
    `${falseOnes} false alarms in ${count} comparisons of a version with itself, ${budget} s each; ${untimed} of them had no time for a figure of time`,
  )
}

async function planted(percent, runs) {
  for (const task of names) {
    let found = 0
    for (let run = 0; run < runs; run++) {
      const { result } = await once(task, percent, () => false)
      const time = result.comparisons.find(isTime)
      if (time && costOf(time).low > 1) found++
      print(`${percent} % ${task}`, result, time?.verdict ?? 'not measured')
    }
    console.log(`${task}: ${percent} % found in ${found} of ${runs} runs of ${budget} s`)
  }
}

function isTime({ metric }) {
  return metric === 'time' || metric === 'throughput'
}

function isCounted({ metric }) {
  return metric === 'allocated' || metric === 'memory'
}

function costOf({ metric, ratio: { low, high } }) {
  return metric === 'throughput' ? { low: 1 / high, high: 1 / low } : { low, high }
}

/** The verdicts that are wrong: those of the intervals, whatever the machine; of what is counted those that are told. */
async function once(task, percent, isWrong) {
  const result = await (task === 'server' ? servers(percent) : functions(task, percent))
  const isFalse = result.comparisons.filter((each) => {
    const { low, high } = costOf(each)
    const verdict = low > 1 ? 'slower' : high < 1 ? 'faster' : 'same'
    return isWrong(isCounted(each) && ['same', 'cannot-tell'].includes(each.verdict) ? 'same' : verdict)
  })
  return { result, isFalse: isFalse.map(({ metric }) => metric) }
}

function functions(task, percent) {
  const versions = [task, percent === 0 ? task : `${task}${percent}`].map((name, i) => ({ file, task: name, name: i === 0 ? 'old' : 'new' })) // prettier-ignore
  return compare(versions, { args: args[task], budget, ...place })
}

function servers(percent) {
  const versions = [0, percent].map((each, i) => ({ file: server, name: i === 0 ? 'old' : 'new', env: { EXTRA: String(each / 100) } })) // prettier-ignore
  return compareServers(versions, { budget })
}

function print(what, { comparisons, noise, resolvable }, verdict) {
  const shown = comparisons.map(({ metric, ratio: { value, low, high } }) => `${metric} ${value.toFixed(3)} (${low.toFixed(3)}-${high.toFixed(3)})`) // prettier-ignore
  const used = noise.otherCpus === null ? '?' : noise.otherCpus.toFixed(2)
  console.log(`${what.padEnd(12)} ${verdict.padEnd(12)} ${shown.join('  ')}  resolvable ${((resolvable ?? NaN) * 100).toFixed(1)} %  others ${used} CPUs`) // prettier-ignore
}

/** Two programs, each of which burns a CPU for 2 s and rests for 2 s, one while the other rests. */
function startBurners() {
  const code =
    'const b=(ms)=>{const e=Date.now()+ms;while(Date.now()<e);};const t=()=>{b(2000);setTimeout(t,2000)};setTimeout(t,+process.argv[1])'
  const all = [0, 2000].map((delay) =>
    spawn(process.execPath, ['-e', code, String(delay)], { stdio: 'ignore' }),
  )
  process.on('exit', () => all.forEach((child) => child.kill('SIGKILL')))
}

/** How often each other tool would call a version 5 % slower or faster than itself, run one after the other. */
async function others(runs) {
  const folder = mkdtempSync(join(tmpdir(), 'compare-others-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', 'tinybench', 'mitata'], {
    cwd: folder,
  })
  const tasks = fileURLToPath(file)
  const load = `import * as tasks from ${JSON.stringify(pathToFileURL(tasks).href)}; const [name, args] = [process.argv[2], JSON.parse(process.argv[3])]`
  writeFileSync(join(folder, 'tiny.js'), `${load}; import { Bench } from 'tinybench'; const bench = new Bench({ time: 1000 }); bench.add('a', () => tasks[name](...args)); await bench.run(); const { result } = bench.tasks[0]; console.log((result.latency ?? result).mean)`) // prettier-ignore
  writeFileSync(join(folder, 'mitata.js'), `${load}; import { measure } from 'mitata'; console.log((await measure(() => tasks[name](...args))).avg)`) // prettier-ignore
  writeFileSync(join(folder, 'command.js'), `${load}; for (let i = 0; i < Number(process.argv[4]); i++) tasks[name](...args)`) // prettier-ignore
  const calls = { ns: 2e6, us50: 4000, ms1: 200, ms20: 10, alloc: 2000 }
  for (const tool of ['tinybench', 'mitata', 'hyperfine']) {
    const alarms = { count: 0, beyond: 0 }
    for (const task of names.filter((name) => name !== 'server'))
      for (let run = 0; run < runs; run++) {
        const pair = [0, 1].map(() => timeBy(tool, folder, { task, list: JSON.stringify(args[task][0]), calls: calls[task] })) // prettier-ignore
        if (pair.some((time) => time === null)) continue
        alarms.count++
        if (Math.abs(Math.log(pair[1] / pair[0])) > Math.log(1.05)) alarms.beyond++
      }
    console.log(
      `${tool}: ${alarms.beyond} of ${alarms.count} pairs of the same version differ by more than 5 %`,
    )
  }
}

function timeBy(tool, folder, { task, list, calls }) {
  try {
    if (tool !== 'hyperfine') {
      const program = tool === 'mitata' ? 'mitata.js' : 'tiny.js'
      return Number(execFileSync(process.execPath, [program, task, list], { cwd: folder, encoding: 'utf8' }).trim().split('\n').at(-1)) // prettier-ignore
    }
    const command = `${process.execPath} command.js ${task} '${list}' ${calls}`
    execFileSync('hyperfine', ['--runs', '10', '--export-json', 'h.json', command], { cwd: folder, stdio: 'ignore' }) // prettier-ignore
    return JSON.parse(execFileSync('cat', ['h.json'], { cwd: folder, encoding: 'utf8' })).results[0].mean
  } catch {
    return null
  }
}
