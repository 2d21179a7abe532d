// The error of a task module that cannot be loaded says what to do in the framework that made the program.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startFailed } from '../../../../build/runtime/core/load-error.js'

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
