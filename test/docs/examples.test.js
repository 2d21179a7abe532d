// The examples do what they say.
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadWorkload } from '../../build/measure/trial/workload.js'
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
test(
  'examples/fastify gives one page both ways, tells the loop delay, and ends on SIGTERM',
  { timeout: 30_000 },
  async (t) => {
    const env = { ...process.env, PORT: '0' }
    const server = spawn(process.execPath, [join(root, 'examples/fastify/server.js')], { env, stdio: 'pipe' })
    t.after(() => server.kill('SIGKILL'))
    const ended = once(server, 'exit')
    const [line] = await once(server.stdout, 'data')
    const ask = async (path) => {
      const answer = await fetch(`${String(line).trim()}${path}`)
      return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() }
    }
    const names = '?me=Ada&you=%3CGrace%3E'
    const pages = await Promise.all(
      ['main', 'offload'].flatMap((path) => Array.from({ length: 20 }, () => ask(`/${path}${names}`))),
    )
    for (const page of pages) assert.deepEqual(page, pages[0])
    assert.equal(pages[0].status, 200)
    assert.match(pages[0].type, /^text\/html/)
    assert.match(pages[0].text, /<p>Ada loves &lt;Grace&gt;, and/)
    assert.equal((await ask(`/offload?me=${'a'.repeat(51)}`)).status, 400)
    const { meanMs, p99Ms, maxMs } = JSON.parse((await ask('/loop')).text)
    assert.ok(meanMs >= 0 && p99Ms >= 0 && maxMs >= p99Ms, JSON.stringify({ meanMs, p99Ms, maxMs }))
    assert.ok(maxMs > 0, 'rendering in the main thread held up its event loop')
    server.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  },
)

test('examples/render is a workload', async () => {
  const file = join(root, 'examples/render/render.workload.js')
  const workload = await loadWorkload({ kind: 'file', url: pathToFileURL(file).href })
  const tasks = await import(workload.module)
  const task = tasks[workload.variants.renderLove]
  assert.match(task(...workload.argumentsOf('renderLove', 0)), /Thomas loves Katelyn/)
})
