// The examples do what they say.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadWorkload } from '../../dist/measure/workload.js'
import { promisify } from 'node:util'
import { pathToFileURL } from 'node:url'
import { root } from './pages.js'

const run = promisify(execFile)

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

test('examples/tracing shows one trace, in both threads', { timeout: 30_000 }, async () => {
  const { stdout } = await run(process.execPath, [join(root, 'examples/tracing/main.js')])
  const spans = stdout.trim().split('\n').map((line) => JSON.parse(line)) // prettier-ignore
  const request = spans.find(({ name }) => name === 'GET /report')
  const tasks = spans.filter(({ name }) => name === 'sum')
  assert.equal(tasks.length, 2)
  assert.equal(request.threadId, 0)
  for (const task of tasks) {
    assert.ok(task.threadId > 0)
    assert.deepEqual([task.traceId, task.parent], [request.traceId, request.spanId])
  }
})

test('examples/render is a workload', async () => {
  const file = join(root, 'examples/render/render.workload.js')
  const workload = await loadWorkload({ kind: 'file', url: pathToFileURL(file).href })
  const tasks = await import(workload.module)
  const task = tasks[workload.variants.renderLove]
  assert.match(task(...workload.argumentsOf('renderLove', 0)), /Thomas loves Katelyn/)
})
