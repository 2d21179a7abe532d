// Runs the contract suite under Bun and Deno, from npm, and writes what came of it to field/runtimes/ and docs/runtimes.md.
//
//   npm run test:runtimes                               both, on all executors
//   npm run test:runtimes -- bun results errors         one of them, some files of test/contract
//   npm run test:runtimes -- --executor=threads         one executor
//   npm run test:runtimes -- --short                    some files on threads and processes, and nothing is written: fails if a case fails
//                                                       that did not before
//   npm run test:runtimes -- --table                    only writes the page again
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { executors, readResult, saveFile, writePage } from '../field/runtimes/results.js'
import { contractFiles, prepare, runtimes } from '../field/runtimes/run-contract.js'

const root = fileURLToPath(new URL('..', import.meta.url))
const SHORT = ['results', 'errors', 'stream', 'map']
const SHORT_ON = ['threads', 'processes']
const words = process.argv.slice(2)
const isShort = words.includes('--short')
const named = isShort ? SHORT : words
const chosen = contractFiles.filter((file) => named.includes(file.replace('.test.js', '')))
const files = chosen.length > 0 ? chosen : contractFiles
const [only] = words.flatMap((word) => /^--executor=(.*)/.exec(word)?.slice(1) ?? [])

if (!words.includes('--table'))
  for (const name of Object.keys(runtimes)) if (!words.some((word) => word in runtimes) || words.includes(name)) await runIn(name) // prettier-ignore
if (!isShort) writePage()

async function runIn(name) {
  const { version, run } = await prepare(name, pack())
  console.log(`${name} ${version}`)
  for (const executor of executors) {
    if (only === undefined ? isShort && !SHORT_ON.includes(executor) : executor !== only) continue
    for (const file of files) report({ name, version, executor, file }, await run(file, executor))
  }
}

function report({ name, version, executor, file }, cases) {
  const failed = cases.filter(({ state }) => state !== 'passed')
  console.log(`${name}, ${executor}, ${file}: ${cases.length - failed.length} of ${cases.length}`)
  const before = readResult(name).files[`${executor} ${file}`]?.failed ?? {}
  const isNew = ({ name }) => !(name in before)
  for (const one of failed) console.log(`  - ${isNew(one) ? 'NEW ' : ''}${one.name}\n    ${firstLine(one)}`)
  if (isShort && failed.some(isNew)) process.exitCode = 1
  const reasons = Object.fromEntries(failed.map((one) => [one.name, firstLine(one)]))
  if (!isShort)
    saveFile({ name, version, key: `${executor} ${file}` }, { cases: cases.length, failed: reasons })
}

function firstLine({ reason }) {
  return String(reason).split('\n').slice(0, 3).join(' ').replace(/(file:\/\/)?\/\S*\/(?=[\w.-]+)/g, '').slice(0, 200) // prettier-ignore
}

function pack() {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-runtimes-package-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const event of ['SIGINT', 'SIGTERM']) process.on(event, () => process.exit(1))
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', folder]
  const { stdout } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' })
  return join(folder, JSON.parse(stdout)[0].filename)
}
