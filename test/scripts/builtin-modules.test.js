import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'

test('the package makes Node load no modules that it does not use', () => {
  const program = "import('threadwise').then(() => console.log(process.moduleLoadList.join()))"
  const { stdout, stderr } = spawnSync(process.execPath, ['--eval', program], { encoding: 'utf8' })
  const loaded = stdout.trim().split(',')
  assert.ok(loaded.includes('NativeModule worker_threads'), stderr)
  // By whoever imports node:fs, and node:util, from an ES module.
  const unused = loaded.filter((name) => /internal\/(fs\/streams|util\/parse_args\/parse_args)$/.test(name))
  assert.deepEqual(unused, [])
})
