// The error of a task module that cannot be loaded says what to do in the framework that made the program, and under the options of Node.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder, touch } from '../../../helpers/files.js'
import { endedAtStart, startFailed } from '../../../../build/runtime/core/load-error.js'

const missing = Object.assign(new Error('Cannot find module'), { code: 'ERR_MODULE_NOT_FOUND' })
const syntax = new SyntaxError('Cannot use import statement outside a module')

function inNext(t) {
  process.env.NEXT_RUNTIME = 'nodejs'
  t.after(() => delete process.env.NEXT_RUNTIME)
}

test('in Next: a path, whatever became of the URL', (t) => {
  inNext(t)
  for (const [module, cause] of [
    ['file:///_next/static/media/tasks.2pgsswipwaeqn.js', missing],
    ['file:///app/.next/dev/server/assets/tasks.2pgsswipwaeqn.js', syntax],
    ['file:///app/.next/server/static/media/tasks.cd63afba.ts', syntax],
  ])
    assert.match(
      startFailed(module, cause).message,
      /In Next .*join\(process\.cwd\(\).* This is a copy/,
      module,
    )
  const { message } = startFailed('file:///app/lib/tasks.js', missing)
  assert.match(message, /The task module itself is not there\. In Next .*outputFileTracingIncludes/)
})

test('in Next: an own mistake in a module that is named by its path stays one', (t) => {
  inNext(t)
  assert.doesNotMatch(startFailed('file:///app/lib/tasks.js', syntax).message, /Next/)
})

test('in Nitro: the plugin, for Nitro', (t) => {
  globalThis._importMeta_ = {}
  t.after(() => delete globalThis._importMeta_)
  assert.match(startFailed('file:///tasks.js', missing).message, /nitro\.rollupConfig/)
})

test('elsewhere: an entry, or the plugin', () => {
  assert.match(startFailed('file:///tasks.js', missing).message, /an entry .* or add threadwise\/unplugin/)
})

test('TypeScript of an installed package: compile it', () => {
  const code = 'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING'
  const cause = Object.assign(new Error('Stripping types is currently unsupported'), { code })
  assert.match(startFailed('file:///app/node_modules/jobs/tasks.ts', cause).message, /compile the file/)
})

/** What a program says that runs under the permission model, and may read only this project. */
function saidWith(elsewhere, ...options) {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const permission = '--permission'
  const flag = process.allowedNodeEnvironmentFlags.has(permission) ? permission : '--experimental-permission'
  const program = fileURLToPath(new URL('../../../fixtures/programs/permissions.js', import.meta.url))
  const args = [flag, '--no-warnings', `--allow-fs-read=${root}*`, ...options, program, elsewhere]
  return spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 60_000 }).stdout
}

test('under the permission model of Node: the option that is missing', (t) => {
  const elsewhere = testFolder(t)('tasks.mjs')
  touch(elsewhere)
  const refused = saidWith(elsewhere)
  assert.match(refused, /^here inline 3$/m)
  assert.match(refused, /^here threads TW_ERR_START_FAILED .* --allow-worker;/m)
  assert.match(refused, /^here processes TW_ERR_START_FAILED .* --allow-child-process;/m)
  const allowed = saidWith(elsewhere, '--allow-worker', '--allow-child-process')
  for (const kind of ['inline', 'threads', 'processes']) {
    assert.match(allowed, new RegExp(`^here ${kind} 3$`, 'm'))
    assert.match(allowed, new RegExp(`^elsewhere ${kind} TW_ERR_START_FAILED .* --allow-fs-read for`, 'm'))
  }
})

test('options of Node that threads cannot take are not the fault of the module', async () => {
  const { threads } = await import('threadwise')
  const pool = threads(new URL('../../../fixtures/tasks/basic.js', import.meta.url), {
    execArgv: ['--title=x'],
  })
  await assert.rejects(pool.ready, { code: 'TW_ERR_START_FAILED', message: /look at execArgv/ })
})

test('a loader that cannot load data: URLs: that it cannot, and no code', () => {
  const code = 'data:text/javascript,%7Bconst%7BworkerData%7D%3Dx'
  const reason = `it ended because of an error outside of any task (Error: No such built-in module: ${code}) while loading`
  const { message } = endedAtStart({ module: 'file:///app/tasks.ts', reason }, {})
  assert.match(message, /module: data:text\/javascript,\.\.\.\) while loading\. A loader .*processes\(\)/)
  assert.doesNotMatch(message, /workerData/)
})

test('a file of TypeScript that this Node does not read: the loader that does', () => {
  const unknown = Object.assign(new TypeError('Unknown file extension ".ts"'), {
    code: 'ERR_UNKNOWN_FILE_EXTENSION',
  })
  assert.match(startFailed('file:///app/tasks.ts', unknown).message, /--import tsx/)
})
