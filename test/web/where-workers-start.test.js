// When workers start, from which address, and what becomes of calls where none can.
/* global trustedTypes */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inEachBrowser, servePages } from '../helpers/browsers.js'

inEachBrowser('where workers start', (start, { name }) => {
  let browser, server

  before(async () => {
    server = await servePages(['page.js', 'tasks.worker.js', 'throws.worker.js', 'inline.worker.js'])
    browser = await start()
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  async function inPage(code, path = '') {
    const page = await browser.newPage()
    await page.goto(server.url + path)
    await page.waitForFunction(() => globalThis.threadwise)
    const result = await page.evaluate(code, path !== '')
    await page.close()
    return result
  }

  test('workers start with the first call, or with whoever waits for them, and at once if asked to', async () => {
    const told = await inPage(async () => {
      const { pool, workers } = threadwise
      const counts = []
      const late = pool({ size: 2 })
      counts.push(workers.length, late.size)
      await late.tasks.add(1, 2)
      counts.push(workers.length)
      await pool({ size: 1 }).ready
      counts.push(workers.length)
      pool({ size: 1, start: 'now' })
      counts.push(workers.length)
      const never = pool({ size: 1 })
      await never.close()
      counts.push(workers.length)
      return counts
    })
    assert.deepEqual(told, [0, 2, 2, 3, 4, 4])
  })

  test('the address of a worker can be wrapped, as a blob', async () => {
    const told = await inPage(async () => {
      const seen = []
      const workerUrl = (url, { type }) => {
        seen.push(type, new URL(url).pathname)
        return URL.createObjectURL(new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' }))
      }
      const pool = threadwise.pool({ size: 1, workerUrl })
      return [await pool.tasks.add(1, 2), ...seen, typeof Worker]
    })
    assert.deepEqual(told, [3, 'module', '/tasks.worker.js', 'function'])
  })

  test('under Trusted Types a policy makes the address', async (t) => {
    if (name === 'webkit') return t.skip('its driver runs no code there')
    const told = await inPage(async () => {
      if (!globalThis.trustedTypes) return undefined
      const bare = await threadwise.rejection(threadwise.pool({ size: 1 }).tasks.add(1, 2))
      const policy = trustedTypes.createPolicy('tasks', { createScriptURL: (url) => url })
      const pool = threadwise.pool({ size: 1, workerUrl: (url) => policy.createScriptURL(url) })
      return [bare.code, await pool.tasks.add(1, 2)]
    }, 'trusted/')
    if (!told) return t.skip('it has none')
    assert.deepEqual(told, ['TW_ERR_START_FAILED', 3])
  })

  for (const [where, path] of [
    ['a policy forbids workers', 'no-workers/'],
    ['there are no workers', ''],
  ])
    test(`the page's own thread runs tasks where ${where}, if asked to`, async () => {
      const told = await inPage(async (isForbidden) => {
        if (!isForbidden) delete globalThis.Worker
        const { pool, rejection } = threadwise
        const refused = await rejection(pool({ size: 1 }, 'inline').tasks.add(1, 2))
        const host = { double: (n) => n * 2 }
        const { tasks, stream, run, close } = pool(
          { size: 2, fallback: 'inline', name: 'here', host },
          'inline',
        )
        const list = [1]
        const [copy, error, name] = await Promise.all([
          tasks.fill(list, 7),
          rejection(tasks.fail()),
          tasks.whereAmI(),
        ])
        const items = []
        for await (const item of stream('count', [40])) items.push(item)
        const seen = []
        await run('tell', [3], { onProgress: (value) => seen.push(value) })
        const late = await rejection(run('later', [1, 60_000], { timeout: 20, gracePeriod: 20 }))
        const next = await tasks.add(3, 4)
        await close()
        return [refused.code, copy, list, error.code, name, items.length, seen, late.code, next]
      }, path)
      assert.deepEqual(told, [
        'TW_ERR_START_FAILED',
        [7],
        [1],
        'E_UPLOAD',
        'here',
        40,
        [3, 6],
        'TW_ERR_TIMEOUT',
        7,
      ])
    })

  test('what is wrong with the file is told all the same', async () => {
    const { code, message } = await inPage(async () => {
      const pool = threadwise.pool({ size: 1, fallback: 'inline' }, 'throws')
      const { code, message } = await threadwise.rejection(pool.tasks.add(1, 2))
      return { code, message }
    })
    assert.equal(code, 'TW_ERR_START_FAILED')
    assert.match(message, /the module of a worker throws/)
  })

  test('while an app is developed a pool is found again by its name', async () => {
    const told = await inPage(async () => {
      const { pool, rejection, workers } = threadwise
      const [first, second] = [pool({ size: 2, name: 'again' }), pool({ size: 2, name: 'again' })]
      await Promise.all([first.tasks.add(1, 2), second.tasks.add(3, 4)])
      const counts = [workers.length]
      await first.close() // the module that was replaced
      counts.push(await second.tasks.add(5, 6))
      const host = () => ({ double: (n) => n * 2 })
      const third = pool({ size: 1, name: 'again', host: host() })
      const fourth = pool({ size: 1, name: 'again', host: host() }) // another function, though of the same code
      const other = pool({ size: 1, name: 'again' }, 'inline') // another file
      const replaced = await Promise.all(
        [second, third, fourth].map(({ tasks }) => rejection(tasks.add(1, 2))),
      )
      return [...counts, ...replaced.map(({ code }) => code), await other.tasks.add(7, 8)]
    })
    const code = 'TW_ERR_CLOSED'
    assert.deepEqual(told, [2, 11, code, code, code, 15])
  })

  test('what is no worker is refused', async () => {
    const told = await inPage(async () => {
      const { web, rejection } = threadwise
      const given = [() => ({ port: {} }), () => Promise.resolve(), () => undefined]
      return Promise.all(given.map((create) => rejection(web(create, { size: 1 }).tasks.x()).then(({ message }) => message)))
    }) // prettier-ignore
    for (const message of told) assert.match(message, /must give a Worker/)
  })
})
