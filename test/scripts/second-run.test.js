// A run of planted test files, as CI runs the others: what fails by chance is told, and what fails stops it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../helpers/files.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Each counts its runs in a file beside it. */
const PLANTED = {
  passes: `test('holds', () => {})`,
  failsFirst: `test('has luck the second time', () => { console.log('what the first run printed'); if (runs === 1) throw new Error('no luck') })`,
  fails: `test('never holds', () => { throw new Error('wrong for run ' + runs) })`,
  exits: `test('ends its process', () => process.exit(9))`,
  crashesInWorker: `const { Worker } = require('node:worker_threads')
    const words = "require('node:fs').writeSync(2, 'x'.repeat(100) + '\\\\n' + 'last words\\\\n'); process.kill(process.pid, 'SIGSEGV'); for (;;);"
    test('crashes', () => new Promise(() => { console.error('before the crash'); new Worker(words, { eval: true }) }))`,
  hangsFirst: `test('hangs', () => {
    if (runs > 1) return
    const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' })
    fs.writeFileSync(__filename + '.pid', String(child.pid))
    return new Promise((resolve) => setTimeout(resolve, 60_000))
  })`,
  leaves: `test('leaves', () => { require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' }).unref() })`,
}

test('a file that fails and passes when it runs again leaves the run green, and is told with all that it printed', async (t) => {
  const { status, output, kept, runs } = await runPlanted(t, ['failsFirst', 'passes'])
  assert.equal(status, 0, output)
  assert.equal(runs('failsFirst'), 2)
  assert.equal(runs('passes'), 1)
  assert.match(output, /ℹ pass 2\n/)
  assert.match(output, /ℹ fail 0\n/)
  for (const told of [output.slice(output.indexOf('ℹ duration_ms')), kept]) {
    assert.match(told, /^flaky: .*failsFirst\.test\.js > has luck the second time$/m)
    assert.match(told, /what the first run printed/)
    assert.match(told, /Error: no luck\n\s+at /)
  }
})

test('a file that fails again is red', async (t) => {
  const { status, output, kept, runs } = await runPlanted(t, ['fails', 'failsFirst'])
  assert.equal(status, 1)
  assert.equal(runs('fails'), 2)
  assert.match(output, /wrong for run 2/)
  assert.match(kept, /^flaky: .*failsFirst/m, 'what is flaky is told all the same')
  assert.doesNotMatch(kept, /flaky: .*fails\.test/)
})

test('without a second run the first one counts', async (t) => {
  const { status, runs } = await runPlanted(t, ['failsFirst'], '--no-retry')
  assert.equal(status, 1)
  assert.equal(runs('failsFirst'), 1)
})

test('a file that crashes is red at once, and its output is whole', async (t) => {
  const { status, output, runs } = await runPlanted(t, ['crashesInWorker', 'exits'])
  assert.equal(status, 1)
  assert.equal(runs('crashesInWorker'), 1)
  assert.equal(runs('exits'), 1)
  assert.match(output, /before the crash/)
  assert.match(output, /^last words$/m)
})

test('a process that a test leaves behind makes the run red, and is ended', async (t) => {
  if (process.platform !== 'linux') return t.skip('reads /proc')
  const { status, output } = await runPlanted(t, ['leaves'])
  assert.equal(status, 1)
  const [, pid] = /left this process behind: (\d+) .*setInterval/.exec(output)
  const state = read(`/proc/${pid}/status`)
  assert.ok(
    state === '' || /^State:\s+Z/m.test(state),
    'it has ended, though nobody may have asked for how it did',
  )
})

test('what a file has started that ran out of time is ended before it runs again, and no fault', async (t) => {
  if (process.platform !== 'linux') return t.skip('reads /proc')
  const { status, output, runs, pid } = await runPlanted(t, ['hangsFirst', 'passes'], '--file-ms=3000')
  assert.equal(status, 0, output)
  assert.equal(runs('hangsFirst'), 2)
  assert.doesNotMatch(output, /left this process behind/)
  const state = read(`/proc/${pid('hangsFirst')}/status`)
  assert.ok(state === '' || /^State:\s+Z/m.test(state))
})

test('more failing files than chance explains are red without a second run, and no further file begins', async (t) => {
  const { status, output, began } = await runPlanted(t, Array(40).fill('fails'))
  assert.equal(status, 1)
  assert.ok(began < 20, `${began} of 40 began, each once or never`)
  assert.match(output, /\d+ files did not run/)
})

/** Runs copies of planted files, and tells how often the first of a kind ran. */
async function runPlanted(t, names, ...options) {
  const folder = temporaryFolder(t)
  names.forEach((name, index) => {
    const copy = names.indexOf(name) === index ? name : `${name}-${index}`
    const file = join(folder, `${copy}.test.js`)
    writeFileSync(
      file,
      `const { test } = require('node:test'), fs = require('node:fs')
       fs.appendFileSync(__filename + '.runs', 'x')
       const runs = fs.readFileSync(__filename + '.runs').length
       ${PLANTED[name]}`,
    )
  })
  const flakyFile = join(folder, 'flaky.txt')
  const env = { ...process.env, THREADWISE_FLAKY_FILE: flakyFile, NO_COLOR: '1' }
  delete env.NODE_TEST_CONTEXT // a test run within a test does nothing otherwise
  const child = spawn(process.execPath, [join(root, 'scripts/test.mjs'), ...options, folder], { env })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const [status, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return {
    status,
    output: stdout + stderr,
    kept: read(flakyFile),
    began: readdirSync(folder).filter((name) => name.endsWith('.runs')).length,
    runs: (name) => read(join(folder, `${name}.test.js.runs`)).length,
    pid: (name) => read(join(folder, `${name}.test.js.pid`)),
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
