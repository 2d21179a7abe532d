// Instances that listen on the same port by themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reusePortProblem, reusePortWarnings } from '../../build/serve/contract/reuse-port.js'
import { serveCommand } from '../helpers/serve-command.js'
import { loadThatRuns, program, service, textOf } from '../helpers/services.js'

const problem = reusePortProblem()
const limit = { timeout: 60_000, skip: problem ?? false }

test('both instances get connections; kept ones survive a reload', limit, async (t) => {
  const { service: server, url, events } = await service(t, program('hello'), { reusePort: true })
  const pids = new Set()
  for (let i = 0; i < 60; i++) pids.add(Number(await textOf(`${url}pid`)))
  assert.deepEqual([...pids].sort(), server.status().instances.map(({ pid }) => pid).sort()) // prettier-ignore
  const warnings = events.filter(({ type }) => type === 'warning').map(({ text }) => text)
  assert.deepEqual(warnings, reusePortWarnings())
  const load = await loadThatRuns(url, { connections: 32 })
  await server.reload()
  const { errorsByKind, errors } = await load.stop()
  // What waits in the queue of a socket that is closed is reset by the kernel, unless it migrates: see the warning.
  assert.equal(errors - errorsByKind.reset, 0)
  if (warnings.length === 0) assert.equal(errors, 0)
  assert.deepEqual(events.filter(({ type }) => type === 'gone').map(({ wasWanted }) => wasWanted), [true, true]) // prettier-ignore
})

test('with a health check nobody listens before it is healthy', limit, async (t) => {
  const { url, rewrite, service: server } = await service(t, program('old'), { reusePort: true, health: '/' })
  rewrite(
    program('new').replace(
      "else response.end('new')",
      "else { response.statusCode = 500; response.end('new') }",
    ),
  )
  const failed = assert.rejects(server.reload(), { code: 'TW_ERR_INSTANCE_FAILED' })
  let isOver = false
  void failed.finally(() => (isOver = true))
  const seen = new Set()
  while (!isOver) {
    for (let i = 0; i < 20; i++) seen.add(await textOf(url))
    await new Promise((resolve) => setTimeout(resolve, 50))
    if (server.status().instances.length === 3 && Date.now() - server.status().instances[2].startedAt > 2000)
      process.kill(server.status().instances[2].pid, 'SIGKILL')
  }
  await failed
  assert.deepEqual([...seen], ['old'])
})

test('a port of the choice of the system cannot be shared', limit, async (t) => {
  await assert.rejects(service(t, program('hello'), { reusePort: true, env: { PORT: '0' } }), {
    code: 'TW_ERR_INSTANCE_FAILED',
    message: /with reusePort it must listen on a port of its choice, not on port 0/,
  })
})

test('a port that another user or program has', limit, async (t) => {
  const { port } = await service(t, program('hello'), { instances: 1 })
  await assert.rejects(service(t, program('hello'), { reusePort: true, env: { PORT: String(port) } }), {
    code: 'TW_ERR_INSTANCE_FAILED',
    message: /EADDRINUSE/,
  })
})

test('where Node does not have it, that is an error at the start', { skip: problem === null }, async (t) => {
  const { ended } = await serveCommand(t, { args: ['--reuse-port'] })
  const { code, stderr } = await ended
  assert.equal(code, 2)
  assert.match(stderr, /reusePort must be left out: it needs Node 22\.12 or 23\.1, and this is \d/)
})
