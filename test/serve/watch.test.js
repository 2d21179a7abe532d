// serve --watch: a change is served, and a broken one is not.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { serveCommand } from '../helpers/serve-command.js'
import { program, textOf } from '../helpers/services.js'

test(
  'a change is served; a broken version leaves the old one; the next good one is served',
  { timeout: 60_000 },
  async (t) => {
    const { child, ended, said, url, path } = await serveCommand(t, { args: ['--watch'], instances: 1 })
    writeFileSync(path, program('second'))
    await said(/files changed: reloading/)
    await said(/reloaded 1 instance/)
    assert.equal(await textOf(url), 'second')
    writeFileSync(path, `throw new Error('broken')`)
    await said(/did not become ready: it ended with exit code 1/)
    assert.equal(await textOf(url), 'second')
    writeFileSync(path, program('third'))
    await said(/reloaded 1 instance/, 2)
    assert.equal(await textOf(url), 'third')
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
  },
)

test('a cron that is none is wrong usage', { timeout: 60_000 }, async (t) => {
  const { run, path } = await serveCommand(t, { instances: 1 })
  const { code, stderr } = await run('serve', path, '--name', 'other', '--cron', '61 * * * *')
  assert.deepEqual([code, /cron must be five fields/.test(stderr)], [2, true], stderr)
})
