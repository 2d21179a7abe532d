// Checks what doctor says against truth, on apps whose right answers are known.
//
//   node bench/doctor.mjs                    every app once (about 15 minutes; on a quiet machine)
//   node bench/doctor.mjs memo async         the apps whose name begins so
//   node bench/doctor.mjs --short            verdicts and counts alone, half as long
//   node bench/doctor.mjs --json out.json    what was found
//
// The exit code is 1 unless all of this holds: no function is wrongly said to move, 95 % of the verdicts are right, counts are exact, the
// busy share is within 10 % of that without doctor, 70 % of the predictions that were made hold for the app whose function was moved, the
// median request is at most 10 % slower while it is profiled, and each diagnosis ends within 60 s.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { diagnose } from '../build/measure/doctor/doctor.js'
import { cases, slowed } from './doctor/cases.mjs'
import { busyOf } from './doctor/run-app.mjs'
import { slowdown } from './doctor/slowdown.mjs'

const RATE = 20
/** Of the busy share, and for what is hardly busy in points of it. */
const BUSY_RANGE = { relative: 0.1, absolute: 0.01 }
const MAX_SLOWDOWN = 1.1
const MAX_SECONDS = 60
const options = { json: { type: 'string' }, short: { type: 'boolean' } }
const { values, positionals } = parseArgs({ allowPositionals: true, options })
const isChosen = (app) => positionals.length === 0 || positionals.some((word) => app.startsWith(word))
const folder = mkdtempSync(join(tmpdir(), 'threadwise-bench-doctor-'))
/** Here, so that tasks find the packages of their apps. */
const out = fileURLToPath(new URL(`./doctor/.threadwise-${process.pid}`, import.meta.url))
const remove = (path) => rmSync(path, { recursive: true, force: true })
process.on('exit', () => [folder, out].forEach(remove))

const found = []
for (const each of cases) if (isChosen(each.app)) found.push(await tryApp(each))
const slow = []
if (!values.short)
  for (const app of slowed) if (isChosen(app)) slow.push({ app, times: await slowdown(pathOf(app), { rate: RATE, out }) }) // prettier-ignore
const checks = conclude()
for (const { text, holds } of checks) console.log(`${holds ? 'holds' : 'FAILS'}  ${text}`)
if (values.json) writeFileSync(values.json, `${JSON.stringify({ node: process.version, found, slow, checks }, null, 2)}\n`) // prettier-ignore
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 1

async function tryApp({ app, right, calls, mayMove = [], untried = [], problem = null }) {
  const startedAt = performance.now()
  const file = app.endsWith('.ts') ? await bundle(pathOf(app)) : pathOf(app)
  const result = await diagnose({ words: [file], rate: RATE, paths: ['/'], out })
  const seconds = (performance.now() - startedAt) / 1000
  const verdicts = verdictsOf(result, right, problem)
  const falseMoves = result.functions.filter(({ name, verdict }) => verdict === 'move' && right[name] !== 'move' && !mayMove.includes(name)) // prettier-ignore
  const counts = countsOf(result, calls)
  const busy = values.short ? null : { told: result.loop.busy, measured: await busyOf(file, { rate: RATE }) }
  const predictions = values.short ? [] : await tryPredictions(file, result, untried)
  remove(out)
  const tried = { app, seconds, verdicts, falseMoves, counts, busy, predictions }
  tell(tried)
  return { ...tried, loop: result.loop, load: result.load, functions: result.functions }
}

function verdictsOf({ functions, problem, sentence }, right, expectedProblem) {
  const verdicts = Object.entries(right).map(([name, expected]) => {
    const { verdict = 'not found', reasons = [] } = functions.find((row) => row.name === name) ?? {}
    return { name, expected, verdict, isRight: verdict === expected, reasons }
  })
  if (expectedProblem !== problem) verdicts.push({ name: 'problem', expected: expectedProblem, verdict: problem, isRight: false, reasons: [sentence] }) // prettier-ignore
  return verdicts
}

/** Requests per second by the calls of each function: the same for all of an app, and what was sent. */
function countsOf({ functions }, calls) {
  const counts = Object.entries(calls).flatMap(([name, expected]) => {
    const row = functions.find((each) => each.name === name)
    return row?.callsPerSecond == null ? [] : [{ name, requests: row.callsPerSecond / expected }]
  })
  // A call of an asynchronous function may go beyond the time in which it was counted.
  const apart = (one, other) => Math.abs(one / other - 1)
  const isExact = counts.every(({ name, requests }) => apart(requests, counts[0].requests) < (name === 'summarize' ? 0.05 : 1e-6)) // prettier-ignore
  const isAsSent = counts.every(({ requests }) => apart(requests, RATE) < 0.1) // a busy machine sends some late
  return { counts, isRight: isExact && isAsSent }
}

/** The app with each function that could move on a thread. */
async function tryPredictions(file, { functions, predictions }, untried) {
  const tried = []
  for (const { task, busyNow, busyThen, cannotTell } of predictions) {
    if (untried.includes(task)) continue
    if (busyThen === null) {
      tried.push({ task, cannotTell })
      continue
    }
    const { module, name } = functions.find((row) => row.task?.name === task).task
    const moved = { threadwise: new URL('../build/index.js', import.meta.url).href, module: pathToFileURL(resolve(module)).href, name } // prettier-ignore
    const measured = await busyOf(file, { rate: RATE, env: { MOVED: JSON.stringify(moved) } })
    tried.push({ task, busyNow, busyThen, measured, holds: measured >= busyThen.low && measured <= busyThen.high }) // prettier-ignore
  }
  return tried
}

function isBusyRight({ told, measured }) {
  return Math.abs(told - measured) <= Math.max(BUSY_RANGE.relative * measured, BUSY_RANGE.absolute)
}

function tell({ app, seconds, verdicts, falseMoves, counts, busy, predictions }) {
  const wrong = verdicts.filter(({ isRight }) => !isRight)
  const untold = predictions.filter(({ cannotTell }) => cannotTell)
  const missed = predictions.filter(({ holds }) => holds === false)
  const lines = [
    ...wrong.map(({ name, expected, verdict, reasons }) => `${name}: ${verdict}, but ${expected} is right; ${reasons.join('; ')}`), // prettier-ignore
    ...falseMoves.map(({ name, reasons }) => `${name}: wrongly said to move; ${reasons.join('; ')}`),
    ...(counts.isRight ? [] : [`${RATE} requests/s were sent, counted ${counts.counts.map(({ name, requests }) => `${name} ${requests}`)}`]), // prettier-ignore
    ...(busy === null || isBusyRight(busy) ? [] : [`busy ${percent(busy.told)}, but ${percent(busy.measured)} without doctor`]), // prettier-ignore
    ...missed.map(({ task, busyThen, measured }) => `${task} moved: busy ${percent(measured)}, predicted ${percent(busyThen.low)} to ${percent(busyThen.high)}`), // prettier-ignore
    ...untold.map(({ task, cannotTell }) => `(${task}: no prediction, ${cannotTell})`),
  ]
  const isRight = lines.length === untold.length
  console.log([`${isRight ? 'right' : 'WRONG'}  ${app} (${seconds.toFixed(0)} s)`, ...lines].join('\n  '))
}

function conclude() {
  const verdicts = found.flatMap((each) => each.verdicts)
  const right = verdicts.filter(({ isRight }) => isRight).length
  const falseMoves = found.flatMap((each) => each.falseMoves).length
  const counted = found.filter(({ counts }) => counts.isRight).length
  const longest = Math.max(0, ...found.map(({ seconds }) => seconds))
  const busy = found.flatMap((each) => each.busy ?? [])
  const made = found.flatMap(({ predictions }) => predictions).filter(({ holds }) => holds !== undefined)
  const held = made.filter(({ holds }) => holds).length
  const all = found.length
  return [
    { text: `${falseMoves} functions are wrongly said to move`, holds: falseMoves === 0 },
    { text: `${right} of ${verdicts.length} verdicts are right`, holds: right >= 0.95 * verdicts.length },
    { text: `the counts of ${counted} of ${all} apps are exact`, holds: counted === all },
    { text: `the longest diagnosis took ${longest.toFixed(0)} s`, holds: longest <= MAX_SECONDS },
    ...(values.short ? [] : [
      { text: `the busy share of ${busy.filter(isBusyRight).length} of ${all} apps is right`, holds: busy.every(isBusyRight) }, // prettier-ignore
      { text: `${held} of ${made.length} predictions hold`, holds: held >= 0.7 * made.length },
      ...slow.map(({ app, times }) => ({ text: `${app} takes ${times.toFixed(2)} times as long while it is profiled`, holds: times <= MAX_SLOWDOWN })), // prettier-ignore
    ]), // prettier-ignore
  ]
}

function pathOf(app) {
  return fileURLToPath(new URL(`./doctor/apps/${app}`, import.meta.url))
}

function percent(share) {
  return `${(100 * share).toFixed(1)} %`
}

/** Of TypeScript, as many apps are run. */
async function bundle(file) {
  const outfile = join(folder, 'bundled.mjs')
  await build({ entryPoints: [file], bundle: true, platform: 'node', format: 'esm', sourcemap: true, outfile }) // prettier-ignore
  return outfile
}
