// Tasks that start workers which do the same: they end, and say by which error.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../helpers/files.js'
import { kinds } from '../helpers/executors.js'

const limit = { timeout: 120_000 }
const program = fileURLToPath(new URL('../fixtures/programs/fork-bomb.js', import.meta.url))
const SECOND_MS = 1000

/** In a folder for temporary files of its own, where its starts are counted. */
function run(folder, args, env = {}) {
  const places = { TMPDIR: folder, TEMP: folder, TMP: folder }
  return execFileSync(process.execPath, [program, ...args], { env: { ...process.env, ...places, ...env }, encoding: 'utf8' }) // prettier-ignore
}

/** The file of a program whose workers have started many, so long ago. */
function fill(folder, id, agoMs) {
  const entries = new Float64Array(100_000).fill(Date.now() - agoMs)
  writeFileSync(join(folder, `threadwise-starts-${process.getuid?.() ?? 'user'}-${id}`), entries)
}

if (kinds.includes('threads'))
  test('a tree of threads without end ends', limit, (t) => {
    const folder = temporaryFolder(t)
    assert.equal(run(folder, ['threads']), '"TW_ERR_TOO_MANY_STARTS"\n')
    const left = readdirSync(folder).filter((name) => !name.startsWith('bomb-'))
    assert.deepEqual(left, [], 'nothing is left of the count')
  })

for (const kind of kinds.filter((each) => each === 'threads' || each === 'processes'))
  test(`a task may make ${kind} of its own, unless workers have started too many just before`, limit, (t) => {
    const folder = temporaryFolder(t)
    const env = { THREADWISE_PROGRAM: '1234567' }
    assert.equal(run(folder, [kind, 'once'], env), '3\n')
    fill(folder, 1234567, SECOND_MS)
    assert.equal(run(folder, [kind, 'once'], env), '"TW_ERR_TOO_MANY_STARTS"\n')
    fill(folder, 1234567, 60 * SECOND_MS)
    assert.equal(run(folder, [kind, 'once'], env), '3\n')
  })
