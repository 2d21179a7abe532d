// The examples do what they say.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadWorkload } from '../../dist/measure/workload.js'
import { pathToFileURL } from 'node:url'
import { root } from './pages.js'

test('examples/server answers, and ends on SIGTERM', { timeout: 30_000 }, async (t) => {
  const env = { ...process.env, PORT: '0' }
  const server = spawn(process.execPath, [join(root, 'examples/server/server.js')], { env, stdio: 'pipe' })
  t.after(() => server.kill('SIGKILL'))
  const ended = once(server, 'exit')
  const [line] = await once(server.stdout, 'data')
  const answer = await fetch(`${String(line).trim()}/?word=badofi`)
  assert.equal(answer.status, 200)
  assert.match(await answer.text(), /^badofi( [a-z]{6}){2}\n$/)
  server.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
})

test('examples/render is a workload', async () => {
  const file = join(root, 'examples/render/render.workload.js')
  const workload = await loadWorkload({ kind: 'file', url: pathToFileURL(file).href })
  const tasks = await import(workload.module)
  const task = tasks[workload.variants.renderLove]
  assert.match(task(...workload.argumentsOf('renderLove', 0)), /Thomas loves Katelyn/)
})
