// Runs a part of the tests on a platform that is not the one of most: on this machine if it is one, else on what stands for it here.
//
//   npm run test:windows                               the contract suite on threads, processes and messages, then test/platforms
//   npm run test:windows -- results errors             files of these names
//   npm run test:windows -- --executor=threads         the contract suite on one executor
//   npm run test:macos                                 the same there
//
// One file runs after the other. The exit code is 1 if a case failed, except those that the platform cannot do as it is here: their reasons are
// told. A case of these that passes is told too, so that the list gets shorter.
import { readdirSync } from 'node:fs'
import { basename, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ARITHMETIC } from './testing/arithmetic.mjs'
import { macos } from './testing/platforms/macos.mjs'
import { windows } from './testing/platforms/windows.mjs'
import { hanging, runCases } from './testing/run-cases.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Beside the contract suite: files and folders of test/. */
const BESIDE = [
  'platforms',
  'unit/bundling',
  'unit/user',
  ...['check', 'cpus', 'json-alone', 'load', 'measure', 'pools', 'usage'].map(
    (name) => `cli/${name}.test.js`,
  ),
  ...['changes', 'config', 'control', 'logs', 'reload', 'stop'].map((name) => `serve/${name}.test.js`),
]
const EXECUTORS = ['threads', 'processes', 'threads by message']
const [name, ...words] = process.argv.slice(2)
const [only] = words.flatMap((word) => /^--executor=(.*)/.exec(word)?.slice(1) ?? [])
const names = words.filter((word) => !word.startsWith('--'))

process.on('SIGINT', () => process.exit(1)).on('SIGTERM', () => process.exit(1))
const platform = { windows, macos }[name]()
console.log(platform.name)
for (const executor of only === undefined ? EXECUTORS : [only])
  for (const file of chosen('contract').filter((path) => !ARITHMETIC.includes(path)))
    await runAndTell(`${executor}, ${file}`, file, { THREADWISE_TEST_EXECUTORS: executor })
if (only === undefined) for (const file of BESIDE.flatMap(chosen)) await runAndTell(file, file, {})

function chosen(folder) {
  const isFile = folder.endsWith('.test.js')
  const files = isFile ? [folder] : readdirSync(new URL(`../test/${folder}`, import.meta.url)).map((file) => `${folder}/${file}`) // prettier-ignore
  return files.filter((file) => file.endsWith('.test.js') && (names.length === 0 || names.includes(basename(file, '.test.js')))) // prettier-ignore
}

async function runAndTell(label, file, env) {
  tell(label, file, await run(file, env))
  for (const { title, reason } of hanging(platform, file, env))
    console.log(`  (not run, ${title}: ${reason})`)
}

function run(file, env) {
  return runCases(platform, relative(root, fileURLToPath(new URL(`../test/${file}`, import.meta.url))).split(sep).join('/'), env) // prettier-ignore
}

function tell(label, file, cases) {
  const limitOf = ({ name }) => platform.limits.find((limit) => !limit.hangsOn && limit.file === basename(file, '.test.js') && limit.title.test(name)) // prettier-ignore
  const failed = cases.filter(({ state }) => state === 'failed')
  const faults = failed.filter((one) => !limitOf(one))
  const skipped = cases.filter(({ state }) => state === 'skipped').length
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${label}: ${cases.length - failed.length - skipped} of ${cases.length}${skipped > 0 ? `, ${skipped} skipped` : ''}`) // prettier-ignore
  for (const one of faults) console.log(`  - ${one.name}\n    ${one.reason.split('\n').slice(0, 12).join('\n    ')}`) // prettier-ignore
  for (const one of failed) if (limitOf(one)) console.log(`  (${one.name}: ${limitOf(one).reason})`)
  for (const one of cases) if (one.state === 'passed' && limitOf(one)) console.log(`  (passes now: ${one.name})`) // prettier-ignore
  if (faults.length > 0) process.exitCode = 1
}
