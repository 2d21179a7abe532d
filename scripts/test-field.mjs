// Builds and runs threadwise where people work: bundlers, TypeScript, test runners, frameworks, other runtimes.
//
//   npm run test:field                     all rows of field/rows/
//   npm run test:field -- esbuild next     rows whose names begin so
//   npm run test:field -- --list           their names
//   npm run test:field -- --short          a few rows, one of each kind, and nothing is written: what runs with all checks
//   npm run test:field -- --table          only writes the tables of docs/ again, from field/results.json
//
// What the rows showed goes to field/results.json, with the date, and from there into the tables of docs/. A row that was not run keeps its
// result. The exit code is 1 if a row failed.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { groups } from '../field/rows/all-rows.js'
import { runRow } from '../field/run-row.js'
import { readResults, saveResult, tableOf, writeTables } from '../field/tables.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const words = process.argv.slice(2)
const SHORT = [
  'esbuild-esm',
  'plugin-esbuild-cjs',
  'page-plugin-esbuild',
  'type-stripping-24',
  'express',
  'node-test',
]
const isShort = words.includes('--short')
const names = isShort ? SHORT : words.filter((word) => !word.startsWith('--'))
const rows = groups.flatMap((group) => group.rows)
const wanted = rows.filter(({ name }) => names.length === 0 || names.some((start) => name.startsWith(start)))

if (words.includes('--list')) console.log(rows.map(({ name }) => name).join('\n'))
else if (!words.includes('--table')) await runAll()
if (!words.includes('--list') && !isShort) writeTables()

async function runAll() {
  if (wanted.length === 0) throw new Error(`no row is called ${names.join(' or ')}; see --list`)
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-field-package-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const event of ['SIGINT', 'SIGTERM']) process.on(event, () => process.exit(1)) // which ends what runs
  const archive = pack(folder)
  for (const row of wanted) await runOne(row, archive)
  if (isShort) return
  const results = readResults()
  for (const group of groups) {
    const own = group.rows.filter((row) => wanted.includes(row))
    if (own.length > 0) console.log(`\n${group.title}\n${tableOf(own, results)}`)
  }
}

async function runOne(row, archive) {
  const started = Date.now()
  let outcome = { works: true }
  try {
    outcome.versions = await runRow(row, archive)
  } catch (error) {
    outcome = { works: false, why: error.message }
    process.exitCode = 1
  }
  const seconds = Math.round((Date.now() - started) / 1000)
  console.log(
    `${outcome.works ? 'works' : 'FAILS'}  ${row.name} (${seconds} s)${outcome.why ? `\n${outcome.why}\n` : ''}`,
  )
  if (isShort) return
  const node = row.node ? undefined : process.version
  saveResult(row, { ...outcome, node, date: new Date().toISOString().slice(0, 10) })
}

/** Of what is built: `npm run build && npm run types` before. */
function pack(folder) {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout, stderr, status } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return join(folder, JSON.parse(stdout)[0].filename)
}
