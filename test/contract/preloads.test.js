// Modules that Node loads before each program, and so before each worker: --import, --require, NODE_OPTIONS.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../helpers/files.js'

const fixture = (name) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url))
/** Windows takes a path for the name of a scheme. */
const urlOf = (name) => new URL(`../fixtures/${name}`, import.meta.url).href
const preload = ['--import', urlOf('preloads/makes-pool.js')]

for (const kind of ['threads', 'processes', 'adaptive'])
  for (const [way, { options, env }] of Object.entries({
    'by an option': { options: preload, env: {} },
    'by NODE_OPTIONS': { options: [], env: { NODE_OPTIONS: preload.join(' ') } },
  }))
    test(`a module that makes ${kind} before each program makes them in the program only (${way})`, (t) => {
      const folder = temporaryFolder(t)
      const own = { THREADWISE_TEST_POOL: kind, THREADWISE_TEST_FOLDER: folder, ...env }
      const args = [...options, fixture('programs/uses-pool-of-preload.js')]
      const printed = execFileSync(process.execPath, args, {
        env: { ...process.env, ...own },
        encoding: 'utf8',
      })
      assert.equal(printed, '42\n')
      assert.ok(readdirSync(folder).length <= 2, 'the program and its worker have loaded it')
    })

test('a hook that follows imports from the file of a program finds one in each worker', () => {
  const args = [
    '--no-deprecation',
    '--import',
    urlOf('preloads/follows-imports.js'),
    fixture('programs/all-executors.js'),
  ]
  const printed = execFileSync(process.execPath, args, { encoding: 'utf8' })
  assert.equal(printed, 'inline 42\nconcurrent 42\nthreads 42\nprocesses 42\n')
})
