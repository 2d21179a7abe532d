// The page of the dashboard in Firefox: figures as they are told, keys, what others have written, and both widths.
/* global innerWidth */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inBrowser } from '../helpers/browsers.js'
import { dashboardOf, fakeCollector, loadOf, statusOf } from '../helpers/dashboard.js'

const HOSTILE = '<img src=x onerror="document.title=1"></li><script>document.title=2</script>'

inBrowser('firefox', 'the dashboard', {}, (start) => {
  let browser
  before(async () => (browser = await start()))
  after(() => browser?.close())

  test('shows services, pools and queues, is led by keys, and loads nothing from elsewhere', async (t) => {
    const web = statusOf('web', { load: loadOf({ requests: 1234, open: 7 }), lastProblem: HOSTILE })
    const pool = { pid: process.pid, thread: 0, name: HOSTILE, kind: 'threads', size: 2, queued: 14, running: 2, completed: 9, failed: 0, refused: 0, waitP99: 5, runP99: 7, tasks: [{ task: 'report', waitP99: 5, runP99: 1234 }] } // prettier-ignore
    const queue = { queue: 'mails', waiting: 17, running: 2, failed: 1, oldestMs: 2500, isPaused: false, workers: 3, problem: null } // prettier-ignore
    const { collector } = fakeCollector({ services: () => [web], pools: () => [pool], queues: () => [queue] })
    const { url } = await dashboardOf(t, collector)
    const page = await browser.newPage()
    t.after(() => page.close())
    const errors = []
    page.on('pageerror', ({ message }) => errors.push(message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
    await page.setViewport({ width: 1200, height: 900 })
    await page.goto(url)
    await page.waitForFunction(() =>
      [...document.querySelectorAll('button')].some(({ textContent }) => textContent === 'web'),
    )
    await page.evaluate(() =>
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'web').focus(),
    )
    await page.keyboard.press('Enter')
    await page.waitForFunction(
      () => document.querySelectorAll('[aria-label=Instances] tbody tr').length === 2,
    )
    const shown = await page.evaluate(() => {
      const cellsOf = (label) =>
        [...document.querySelectorAll(`[aria-label="${label}"] tbody tr`)].map((row) =>
          [...row.children].map(({ textContent }) => textContent),
        )
      return {
        instances: cellsOf('Instances'),
        pools: cellsOf('Pools'),
        functions: cellsOf('Functions of pools'),
        queues: cellsOf('Queues'),
        images: document.querySelectorAll('img, td script').length,
      }
    })
    assert.deepEqual(shown.instances.map((cells) => [cells[0], ...cells.slice(7, 9)]), [['1', '7', '1234'], ['2', '7', '1234']]) // prettier-ignore
    assert.deepEqual(shown.pools.map((cells) => [cells[0], ...cells.slice(4, 7)]), [[HOSTILE, '14', '2', '9']]) // prettier-ignore
    assert.deepEqual(shown.functions, [['report', HOSTILE, String(process.pid), '5.0 ms', '1234 ms']])
    assert.deepEqual(shown.queues, [['mails', '17', '2', '1', '2.5 s', '3', 'takes jobs']])
    assert.equal(shown.images, 0)
    assert.match(await page.title(), /^web - threadwise dashboard$/)
    for (const width of [1200, 390]) {
      await page.setViewport({ width, height: 900 })
      const [wide, most] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth])
      assert.ok(wide <= most, `${wide} of ${most}`)
    }
    const origins = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin)) // prettier-ignore
    assert.deepEqual([...new Set(origins)], [new URL(url).origin])
    assert.deepEqual(errors, [])
  })
})
