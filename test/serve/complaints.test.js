// What users of process managers complain of most (Unitech/pm2 on GitHub), each with its issue; reloads, limits and signals have tests of
// their own.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockade, blocks } from '../helpers/blocking.js'
import { loadThatRuns, program, service, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000 }

test(
  'a start that takes more than three seconds: the old one serves until then (#4572, #2729)',
  limit,
  async (t) => {
    const { service: server, url, rewrite } = await service(t, program('old'), { instances: 1 })
    rewrite(`await new Promise((resolve) => setTimeout(resolve, 3500))\n${program('new')}`)
    const load = await loadThatRuns(url, { connections: 8, headers: { connection: 'close' } })
    await server.reload()
    assert.equal(await textOf(url), 'new')
    const { errors, errorsByKind } = await load.stop()
    assert.equal(errors, 0, JSON.stringify(errorsByKind))
  },
)

test('ready is said once, also before the server listens (#4271)', limit, async (t) => {
  const early = program(
    'hello',
    `process.send('ready'); await new Promise((resolve) => setTimeout(resolve, 300))`,
  )
  const { service: server, url, seen } = await service(t, early, { waitReady: true })
  const ready = seen(({ type }) => type === 'ready')
  await server.reload()
  await ready
  assert.equal(await textOf(url), 'hello')
})

test('an instance that drains gets no new request (#5043, #5645, #3143)', limit, async (t) => {
  const { service: server, url, seen } = await service(t, program('hello'), { instances: 1 })
  const old = await textOf(`${url}pid`)
  const late = await fetch(`${url}late`)
  const draining = seen(({ type }) => type === 'draining')
  const reloaded = server.reload()
  await draining
  // Those that node:cluster had given away before the news came there are still answered by it: at most one.
  await textOf(`${url}pid`)
  for (let i = 0; i < 20; i++) assert.notEqual(await textOf(`${url}pid`), old)
  assert.equal(await late.text(), 'hello')
  await reloaded
})

test(
  'of new connections at most one waits for an instance that is busy (#4968, #4976, #5158)',
  limit,
  async (t) => {
    const { env, blocked, release } = blockade(t)
    const { url } = await service(t, program('hello', blocks), { env })
    const first = textOf(`${url}block`)
    await blocked()
    let answered = 0
    const asked = Array.from({ length: 20 }, () => textOf(url).then(() => answered++))
    await waitUntil(() => answered >= 19)
    release()
    assert.equal(await first, 'hello')
    await Promise.all(asked)
  },
)
