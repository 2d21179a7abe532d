// Slow starts, messages that nobody can read, errors that are handled, ends that no lock tells of, and pages that come back.
/* global history, kept, RTCPeerConnection */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inEachBrowser, servePages } from '../helpers/browsers.js'

inEachBrowser('starts and ends of workers', (start, { name }) => {
  let browser, server

  before(async () => {
    const workers = ['tasks', 'slow', 'document', 'handles'].map((each) => `${each}.worker.js`)
    server = await servePages(['page.js', ...workers])
    browser = await start()
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  /** Runs code in a page of its own. */
  async function inPage(code, path = '') {
    const page = await browser.newPage()
    await page.goto(server.url + path)
    await page.waitForFunction(() => globalThis.threadwise)
    const result = await page.evaluate(code)
    await page.close()
    return result
  }

  test('the time to start counts from the first word of a worker', async () => {
    const told = await inPage(async () => {
      const pool = threadwise.pool({ size: 1, startTimeout: 1500 }, 'slow')
      const sum = await pool.tasks.add(1, 2)
      await pool.close()
      return [sum, threadwise.workers.length]
    })
    assert.deepEqual(told, [3, 1])
  })

  test('a worker is known by what it is, whatever it defines', async () => {
    const sum = await inPage(() => threadwise.pool({ size: 1 }, 'document').tasks.add(1, 2))
    assert.equal(sum, 3)
  })

  test('what its own listeners handle does not end a worker', async () => {
    const told = await inPage(async () => {
      const { tasks } = threadwise.pool({ size: 1 }, 'handles')
      const outcome = (call) =>
        call.then(
          (value) => value,
          ({ code }) => code,
        )
      return [
        await outcome(tasks.rejectAndGoOn()),
        await outcome(tasks.throwAndGoOn()),
        threadwise.workers.length,
      ]
    })
    assert.deepEqual(told, ['went on', 'went on', 1])
  })

  test('an argument that no worker can read fails its call, and none beside it', async (t) => {
    const told = await inPage(async () => {
      if (!globalThis.RTCPeerConnection?.generateCertificate) return undefined
      const certificate = await RTCPeerConnection.generateCertificate({ name: 'ECDSA', namedCurve: 'P-256' })
      try {
        structuredClone(certificate)
      } catch {
        return undefined
      }
      const pool = threadwise.pool({ size: 1 })
      const outcome = (call) =>
        call.then(
          (value) => value,
          ({ code, message }) => `${code} ${message}`,
        )
      const calls = [pool.tasks.echo({ deep: [certificate] }), pool.tasks.add(1, 2), pool.tasks.add(3, 4)]
      return [...(await Promise.all(calls.map(outcome))), await pool.tasks.add(5, 6)]
    })
    if (!told) return t.skip('it has no certificates')
    assert.match(told[0], /^TW_ERR_WORKER_EXITED .*cannot read a message/)
    assert.deepEqual(told.slice(1), [3, 7, 11])
  })

  test('a worker that closes itself, or that somebody terminates, is noticed without locks too', async () => {
    const told = await inPage(async () => {
      const pool = threadwise.pool({ size: 1 })
      const ended = await threadwise.rejection(pool.tasks.end())
      const sum = await pool.tasks.add(1, 2)
      const call = threadwise.rejection(pool.tasks.later(1, 60_000))
      await pool.inspect()
      threadwise.workers.at(-1).terminate()
      return [ended.code, sum, (await call).code]
    }, 'older/')
    assert.deepEqual(told, ['TW_ERR_WORKER_EXITED', 3, 'TW_ERR_WORKER_EXITED'])
  })

  for (const [title, code] of Object.entries({
    'a page with a pool comes back, and its pool works': async () => {
      globalThis.kept = threadwise.pool({ size: 1 })
      await kept.tasks.add(1, 2)
    },
    'a page whose pool was closed, destroyed, or killed comes back': async () => {
      globalThis.kept = threadwise.pool({ size: 1 })
      const old = [threadwise.pool({ size: 1 }), threadwise.pool({ size: 1 })]
      await Promise.all([...old, kept].map((pool) => pool.tasks.add(1, 2)))
      await old[0].close()
      void old[1].tasks.later(1, 60_000).catch(() => {})
      await old[1].destroy()
      await threadwise.rejection(kept.run('burn', [60_000], { timeout: 50, gracePeriod: 50 }))
      await kept.tasks.add(1, 2) // Firefox keeps no page that loads something, such as another worker
    },
    'calls that are open when a page goes are answered when it comes back': async () => {
      globalThis.kept = threadwise.pool({ size: 1 })
      await kept.tasks.add(1, 2)
      globalThis.answer = kept.tasks.later('answered', 1500)
    },
  }))
    test(title, async (t) => {
      const leaveAndReturn = async (prepare) => {
        const page = await browser.newPage()
        await page.goto(server.url)
        await page.waitForFunction(() => globalThis.threadwise)
        await page.evaluate(() => void (globalThis.mark = 'kept'))
        await page.evaluate(prepare)
        await page.evaluate(() => void setTimeout(() => (location.href = 'older/'), 50))
        await page.waitForFunction(() => location.pathname === '/older/')
        await page.waitForFunction(() => document.readyState === 'complete')
        await page.evaluate(() => void setTimeout(() => history.back(), 50))
        await page.waitForFunction(() => location.pathname === '/')
        await page.waitForFunction(() => document.readyState === 'complete')
        return page
      }
      const isKept = (page) => page.evaluate(() => globalThis.mark === 'kept')
      const control = await leaveAndReturn(() => {})
      if (!(await isKept(control))) return t.skip(`${name} does not keep pages here`)
      await control.close()
      const page = await leaveAndReturn(code)
      assert.equal(await isKept(page), true)
      assert.equal(await page.evaluate(() => kept.tasks.add(3, 4)), 7)
      assert.equal(await page.evaluate(() => globalThis.answer ?? 'answered'), 'answered')
      await page.close()
    })
})
