// Finds out how often a test fails by chance: node scripts/hunt.mjs [--runs 50] FILE | FOLDER ... Runs each file many times: alone, beside
// programs that burn every CPU, with 0.3 CPUs, and with stops of a second, as a machine has that stands still. Prints each test that failed,
// and how often; what the failed runs printed is kept in build/hunt. Exit code 1 if a test failed more than once in 50 runs.
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join, relative, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openCpuLimit } from '../build/cpu/limit/limit-child.js'

const RUNS = 50
/** CPUs of a machine that others hold up. */
const QUOTA = 0.3
/** Milliseconds of a stop, and those from the end of one to the next at most. */
const STOP = 1000
const BETWEEN_STOPS = 4000
/** More failures than this share of the runs are no chance that can be borne. */
const BEARABLE = 1 / 50
const runOnce = fileURLToPath(new URL('testing/run-once.mjs', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))

/** Each wraps one run of a file, and two runs of five are alone. */
const CONDITIONS = { alone, burners, quota, stops }
const ORDER = ['alone', 'burners', 'quota', 'alone', 'stops']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: String(RUNS) } },
})
const runs = Number(values.runs)
if (positionals.length === 0 || !Number.isInteger(runs) || runs < 1) {
  console.error('node scripts/hunt.mjs [--runs 50] FILE | FOLDER ...')
  process.exit(2)
}
const kept = join(root, 'build/hunt')
mkdirSync(kept, { recursive: true })
process.once('SIGINT', () => process.exit(130))
process.once('SIGTERM', () => process.exit(143))
for (const file of positionals.flatMap((path) => testFiles(resolve(path)))) await hunt(file)

async function hunt(file) {
  const tallies = new Map() // by the name of a test: by condition how often it failed
  for (let index = 0; index < runs; index++) {
    const condition = ORDER[index % ORDER.length]
    const { failed, output } = await CONDITIONS[condition](file)
    for (const name of failed) {
      const tally = tallies.get(name) ?? {}
      tallies.set(name, { ...tally, [condition]: (tally[condition] ?? 0) + 1 })
    }
    if (failed.length > 0) writeFileSync(join(kept, `${basename(file)}.${condition}.${index}.txt`), output)
  }
  const name = relative(root, file)
  if (tallies.size === 0) console.log(`ok ${name}: ${runs} runs`)
  for (const [test, tally] of tallies) {
    const times = Object.values(tally).reduce((sum, count) => sum + count, 0)
    if (times / runs > BEARABLE) process.exitCode = 1
    const where = Object.entries(tally).map(([condition, count]) => `${condition} ${count}`)
    console.log(`failed ${times} of ${runs} (${where.join(', ')}): ${name} > ${test}`)
  }
}

async function alone(file) {
  return outcomeOf(start(process.execPath, [runOnce, file]))
}

async function burners(file) {
  const burning = Array.from({ length: availableParallelism() }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  try {
    return await alone(file)
  } finally {
    for (const each of burning) each.kill('SIGKILL')
  }
}

async function quota(file) {
  const limit = await openCpuLimit(QUOTA)
  const wrapped = limit.wrap(process.execPath, [runOnce, file])
  const child = start(wrapped.file, wrapped.args)
  limit.adopt(child.pid)
  try {
    return await outcomeOf(child)
  } finally {
    await limit.remove()
  }
}

async function stops(file) {
  const child = start(process.execPath, [runOnce, file])
  const ended = new AbortController()
  void stopNowAndThen(child.pid, ended.signal)
  try {
    return await outcomeOf(child)
  } finally {
    ended.abort()
  }
}

async function stopNowAndThen(group, signal) {
  for (let longest = STOP; !signal.aborted; longest = BETWEEN_STOPS) {
    await delay(Math.random() * longest, undefined, { signal }).catch(() => {})
    if (!signalGroup(group, 'SIGSTOP')) return
    await delay(STOP)
    signalGroup(group, 'SIGCONT')
  }
}

function signalGroup(group, name) {
  try {
    return process.kill(-group, name)
  } catch {
    return false // it has ended
  }
}

/** In a process group of its own, so that all of it can be stopped. */
function start(file, args) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'], detached: true, cwd: root })
  const end = () => signalGroup(child.pid, 'SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  return child
}

async function outcomeOf(child) {
  const printed = await text(child.stdout)
  try {
    return JSON.parse(printed)
  } catch {
    return { failed: ['the run itself'], output: printed }
  }
}

function testFiles(path) {
  if (statSync(path).isFile()) return [path]
  return readdirSync(path)
    .flatMap((name) => testFiles(join(path, name)))
    .filter((file) => file.endsWith('.test.js'))
}
