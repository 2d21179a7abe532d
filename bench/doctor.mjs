// Checks the verdicts of doctor against truth, on apps whose right answers are known.
//
//   node bench/doctor.mjs                    every app once (about 7 minutes)
//   node bench/doctor.mjs memo async         the apps whose name begins so
//   node bench/doctor.mjs --json out.json    what was found
//
// The exit code is 1 if one function is wrongly said to move, or less than 95 % of the verdicts are right.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { diagnose } from '../build/measure/doctor/doctor.js'
import { cases } from './doctor/cases.mjs'

const RATE = 20
const { values, positionals } = parseArgs({ allowPositionals: true, options: { json: { type: 'string' } } })
const chosen = cases.filter(({ app }) => positionals.length === 0 || positionals.some((word) => app.startsWith(word))) // prettier-ignore
const folder = mkdtempSync(join(tmpdir(), 'threadwise-bench-doctor-'))
/** Here, so that tasks find the packages of their apps. */
const out = fileURLToPath(new URL('./doctor/.threadwise', import.meta.url))
const remove = (path) => rmSync(path, { recursive: true, force: true })
process.on('exit', () => [folder, out].forEach(remove))

const found = []
for (const each of chosen) found.push(await tryApp(each))
const verdicts = found.flatMap((each) => each.verdicts)
const right = verdicts.filter(({ isRight }) => isRight).length
const falseMoves = found.flatMap((each) => each.falseMoves)
console.log(`\n${right} of ${verdicts.length} verdicts are right, ${falseMoves.length} false "move"`)
if (values.json) writeFileSync(values.json, `${JSON.stringify(found, null, 2)}\n`)
process.exitCode = falseMoves.length > 0 || right < 0.95 * verdicts.length ? 1 : 0

async function tryApp({ app, right, problem = null }) {
  const startedAt = performance.now()
  const file = fileURLToPath(new URL(`./doctor/apps/${app}`, import.meta.url))
  const words = [app.endsWith('.ts') ? await bundle(file) : file]
  const result = await diagnose({ words, rate: RATE, paths: ['/'], out })
  remove(out)
  const rowOf = (name) => result.functions.find((row) => row.name === name)
  const verdicts = Object.entries(right).map(([name, expected]) => {
    const { verdict = 'not found', reasons = [] } = rowOf(name) ?? {}
    return { name, expected, verdict, isRight: verdict === expected, reasons }
  })
  if (problem !== result.problem) verdicts.push({ name: 'problem', expected: problem, verdict: result.problem, isRight: false, reasons: [result.sentence] }) // prettier-ignore
  const falseMoves = result.functions.filter(
    ({ name, verdict }) => verdict === 'move' && right[name] !== 'move',
  )
  const seconds = (performance.now() - startedAt) / 1000
  tell({ app, seconds, verdicts, falseMoves })
  return { app, seconds, verdicts, falseMoves, loop: result.loop, functions: result.functions }
}

function tell({ app, seconds, verdicts, falseMoves }) {
  const wrong = verdicts.filter(({ isRight }) => !isRight)
  console.log(
    `${wrong.length + falseMoves.length === 0 ? 'right' : 'WRONG'}  ${app} (${seconds.toFixed(0)} s)`,
  )
  for (const { name, expected, verdict, reasons } of wrong)
    console.log(`  ${name}: ${verdict}, but ${expected} is right; ${reasons.join('; ')}`)
  for (const { name, reasons } of falseMoves)
    console.log(`  ${name}: wrongly said to move; ${reasons.join('; ')}`)
}

/** Of TypeScript, as many apps are run. */
async function bundle(file) {
  const outfile = join(folder, 'bundled.mjs')
  await build({
    entryPoints: [file],
    bundle: true,
    platform: 'node',
    format: 'esm',
    sourcemap: true,
    outfile,
  })
  return outfile
}
