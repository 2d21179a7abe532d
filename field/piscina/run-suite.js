// Runs the tests of piscina, from its npm package, with threadwise/piscina in its place.
//
//   npm run test:piscina            all; writes what it found into docs/from-piscina.md
//   npm run test:piscina -- abort   files whose names begin so; writes nothing
//
// It needs the registry, and what is built. The exit code is 1 if a test failed that known-failures.js does not name.
import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { knownFailures } from './known-failures.js'

const PISCINA = '5.3.2'
const PACKAGES = [`piscina@${PISCINA}`, 'tsx@4.23.15', 'concat-stream@2.0.0', '@napi-rs/nice@1']
/** Milliseconds for a file, and for one test of a file that has blocked itself. */
const LIMIT = { file: 40_000, test: 15_000 }

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = join(root, 'docs/from-piscina.md')
const starts = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'threadwise-piscina-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

const suite = install()
const files = readdirSync(join(suite, 'test'))
  .filter((name) => name.endsWith('.test.ts'))
  .filter((name) => starts.length === 0 || starts.some((start) => name.startsWith(start)))
const results = []
for (const file of files) results.push(...(await runFile(file)))
report()

/** A folder like that of piscina, whose ways in lead to ours. Two files of it that tests look into stay. */
function install() {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }')
  const { status } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES],
    {
      cwd: folder,
      stdio: 'inherit',
    },
  )
  if (status !== 0) process.exit(1)
  const installed = join(folder, 'node_modules/piscina')
  const own = join(folder, 'suite')
  cpSync(join(installed, 'test'), join(own, 'test'), { recursive: true })
  cpSync(join(installed, 'package.json'), join(own, 'package.json'))
  for (const name of ['common', 'symbols'])
    cpSync(join(installed, `dist/${name}.js`), join(own, `dist/${name}.js`))
  for (const name of ['index', 'main'])
    writeFileSync(join(own, `dist/${name}.js`), "module.exports = require('threadwise/piscina')\n")
  const esm = "export * from 'threadwise/piscina'\nexport { default } from 'threadwise/piscina'\n"
  writeFileSync(join(own, 'dist/esm-wrapper.mjs'), esm)
  symlinkSync(root, join(folder, 'node_modules/threadwise'))
  mkdirSync(join(own, 'node_modules'))
  symlinkSync(own, join(own, 'node_modules/piscina')) // tests import it by its name, too
  return own
}

/** All tests of a file. If one of them blocks the thread, each in a process of its own. */
async function runFile(file) {
  const found = await run(file, LIMIT.file)
  if (found) return found
  const source = readFileSync(join(suite, 'test', file), 'utf8')
  const names = new Set([...source.matchAll(/^ *(?:test|it)\('((?:[^'\\]|\\.)+)'/gm)].map(([, name]) => name))
  const all = []
  for (const name of names)
    all.push(...((await run(file, LIMIT.test, name)) ?? [resultOf(file, name, 'fail')]))
  return all
}

/** Undefined: it did not end in time. */
async function run(file, limit, name) {
  const pattern =
    name === undefined ? [] : ['--test-name-pattern', `/^${RegExp.escape?.(name) ?? escape(name)}$/`]
  const options = ['--enable-source-maps', '--import=tsx', '--test', '--test-reporter=tap', ...pattern]
  const child = spawn(process.execPath, [...options, `test/${file}`], { cwd: suite, detached: true })
  let text = ''
  child.stdout.on('data', (data) => (text += data))
  const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limit)
  const signal = await new Promise((resolve) => child.on('close', (_, by) => resolve(by)))
  clearTimeout(timer)
  return signal === null ? testsIn(file, text) : undefined
}

function escape(text) {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}

function testsIn(file, text) {
  const lines = text.matchAll(/^ *(not ok|ok) \d+ - (.+?)( # SKIP.*)?$/gm)
  return [...lines].flatMap(([, ok, name, skipped]) => {
    if (name.endsWith('.test.ts') || (skipped && /pattern/.test(skipped))) return []
    return [resultOf(file, name, skipped ? 'skipped' : ok === 'ok' ? 'pass' : 'fail')]
  })
}

function resultOf(file, name, outcome) {
  return { test: `${basename(file, '.test.ts')}: ${name}`, outcome }
}

function report() {
  const count = (outcome) => results.filter((result) => result.outcome === outcome).length
  const failed = [...new Set(results.filter(({ outcome }) => outcome === 'fail').map(({ test }) => test))]
  const unknown = failed.filter((test) => !(test in knownFailures))
  console.log(
    `piscina ${PISCINA} on Node ${process.version}: ${count('pass')} of its tests pass, ${count('fail')} fail, ${count('skipped')} are skipped`,
  )
  for (const test of failed) console.log(`  fails: ${test}${test in knownFailures ? '' : '   <-- not known'}`)
  if (unknown.length > 0) process.exitCode = 1
  if (starts.length === 0) writePage(count, failed)
}

function writePage(count, failed) {
  const rows = failed.map((test) => `| ${test} | ${knownFailures[test] ?? 'not known'} |`)
  const summary = `Of the tests of piscina ${PISCINA}, with the import exchanged, ${count('pass')} pass and ${count('fail')} fail on Node ${process.version.slice(1)} (${count('skipped')} are for other platforms or versions of Node).`
  const table = [summary, '', '| test | why it fails |', '|---|---|', ...rows].join('\n')
  const text = readFileSync(page, 'utf8')
  const [before, rest] = text.split('<!-- tests of piscina: npm run test:piscina -->\n')
  const [, after] = rest.split('<!-- end -->')
  const marked = `<!-- tests of piscina: npm run test:piscina -->\n\n${table}\n\n<!-- end -->`
  writeFileSync(page, `${before}${marked}${after}`)
}
