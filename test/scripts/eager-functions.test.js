import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'

/** Names of the functions that V8 has compiled, by its own log, after the package was imported and nothing called. */
function compiledByImport(t) {
  const folder = temporaryFolder(t)
  const log = join(folder, 'v8.log')
  const flags = ['--log-function-events', `--logfile=${log}`, '--no-logfile-per-isolate']
  const program = "import('threadwise')"
  const { status, stderr } = spawnSync(process.execPath, [...flags, '--eval', program], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const lines = readFileSync(log, 'utf8').split('\n')
  return lines.filter((line) => line.startsWith('function,full-parse,')).map((line) => line.split(',').at(-1))
}

test('what starts a pool is compiled with the import, and what it does not need is not', (t) => {
  const names = compiledByImport(t)
  const atStart = ['threads', 'createPoolCore', 'resolvePoolOptions', 'startThread', 'createWorkerMemory']
  for (const name of atStart) assert.ok(names.includes(name), `${name} is compiled when it is called`)
  for (const name of ['prometheusText', 'registerClass']) assert.ok(!names.includes(name), name)
})
