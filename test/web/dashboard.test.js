// The page of the dashboard in a browser: what it shows of services that run, a reload from start to end, and what others have written.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { background } from '../helpers/background.js'
import { startChromium, withoutChromium } from '../helpers/browsers.js'
import { dashboardOf, fakeCollector, loadOf, statusOf } from '../helpers/dashboard.js'
import { start } from '../helpers/program.js'
import { loadThatRuns, program, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const HOSTILE = '<img src=x onerror="document.title=1"></li><script>document.title=2</script>'
const hostile = `
  const words = ${JSON.stringify(HOSTILE)} + ' \\x1b]0;title\\x07\\x1b[2J\\u202e end'
  server.prependListener('request', ({ url }) => {
    if (url === '/write') console.log(words + '\\n' + 'x'.repeat(1024 ** 2) + '\\nafter')
    if (url === '/die') { console.error(words); process.exitCode = 7; setTimeout(() => process.exit(), 50) }
  })`

describe('the dashboard', { skip: withoutChromium || process.platform === 'win32', timeout: 110_000 }, () => {
  let browser
  before(async () => (browser = await startChromium()))
  after(() => browser?.close())

  /** Gives the page, when it shows figures; `errors` are those of its script and of its policy. */
  async function open(t, url, { width = 1200, colorScheme = 'light' } = {}) {
    const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme })
    t.after(() => page.close())
    const errors = []
    page.on('pageerror', ({ message }) => errors.push(message))
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text())) // prettier-ignore
    await page.goto(url)
    await page.getByText('Live', { exact: true }).waitFor()
    return { page, errors }
  }

  /** Agrees to a change, and gives what came of it. */
  async function agree(page, name, number) {
    await page.getByRole('button', { name, exact: true }).click()
    const dialog = page.getByRole('dialog')
    if (number !== undefined) {
      await dialog.getByRole('spinbutton').fill(String(number))
      await dialog.getByRole('button', { name: 'Continue' }).click()
    }
    await dialog.getByRole('button', { name: 'Yes' }).click()
    const close = dialog.getByRole('button', { name: 'Close' })
    await close.waitFor({ timeout: 60_000 })
    const text = await dialog.getByRole('status').textContent()
    await close.click()
    return text
  }

  const eventsOf = (page) => page.locator('.events li').allTextContents()

  test('of services that run', async (t) => {
    const app = await background(t, program('hello', hostile))
    const served = await app.run('serve', app.path, '--daemon', '--name', 'web', '-i', '2')
    assert.equal(served.code, 0, served.stderr)
    const { child } = start(['dashboard'], { env: app.env, limitMs: 110_000 })
    t.after(() => child.kill('SIGKILL'))
    const [address] = String(await new Promise((resolve) => child.stdout.once('data', resolve))).split('\n')
    for (let count = 0; count < 20; count++) await textOf(app.url)
    const { page, errors } = await open(t, address)
    await page.getByRole('button', { name: 'web', exact: true }).click()
    await page.getByRole('heading', { name: 'web', exact: true }).waitFor()

    await t.test('shows the figures of status --json', async () => {
      const cells = (row) => row.locator('th, td').allTextContents()
      const shownNow = async () => {
        const rows = await page.locator('[aria-label=Instances] tbody tr').all()
        return (await Promise.all(rows.map(cells))).map(([id, pid, state, , , , , open, requests, failed]) => ({ id, pid, state, open, requests, failed })) // prettier-ignore
      }
      const { stdout } = await app.run('status', 'web', '--json')
      const told = JSON.parse(stdout).instances.map(({ id, pid, state, load }) => ({ id: String(id), pid: String(pid), state, open: String(load.open), requests: String(load.requests), failed: String(load.errors) })) // prettier-ignore
      assert.equal(
        told.reduce((sum, { requests }) => sum + Number(requests), 0),
        20,
      )
      await waitUntil(
        async () => JSON.stringify(await shownNow()) === JSON.stringify(told),
        'the same is shown',
      )
      const row = page.locator('tr', { hasText: 'web' }).first()
      assert.match((await cells(row)).join(' '), /serving 2 of 2/)
    })

    await t.test('lets the lines be read by keys', async () => {
      const plot = page.getByRole('slider', { name: 'Memory over time' })
      await plot.focus()
      const newest = await plot.getAttribute('aria-valuetext')
      assert.match(newest, /^\d.*: \d+ MB$/)
      await page.keyboard.press('Home')
      assert.equal(await plot.getAttribute('aria-valuenow'), '0')
      await page.keyboard.press('Escape')
      await page.getByText('The lines as a table').click()
      const minute = page.locator('[aria-label="The lines as a table"] tbody tr').first()
      await minute.waitFor()
      assert.match(await minute.textContent(), /MB$/)
    })

    await t.test('shows a reload under load from start to end, which loses no request', async () => {
      const load = await loadThatRuns(app.url, { connections: 8 })
      assert.match(await agree(page, 'Reload'), /^web: reloaded, 2 instances$/)
      await waitUntil(async () => (await eventsOf(page)).some((text) => /reloaded 2 instances/.test(text)), 'the end is shown') // prettier-ignore
      const { errors: lost } = await load.stop()
      assert.equal(lost, 0)
      const events = (await eventsOf(page)).reverse().map((text) => text.replace(/^\S+ \S+ web /, ''))
      const order = [/^instance 3 .* serves$/, /takes no more connections$/, /^instance 4 .* serves$/, /^reloaded 2 instances$/] // prettier-ignore
      const places = order.map((pattern) => events.findIndex((text) => pattern.test(text)))
      assert.ok(!places.includes(-1), events.join('\n'))
      assert.deepEqual(
        [...places].sort((a, b) => a - b),
        places,
        events.join('\n'),
      )
    })

    await t.test('shows what others have written as text, whatever it is', async () => {
      await textOf(`${app.url}write`)
      await fetch(`${app.url}die`).catch(() => {})
      const death = page.locator('.events li[data-kind=death]')
      await death.waitFor({ timeout: 20_000 })
      assert.match(await death.textContent(), /ended with exit code 7, unexpectedly/)
      assert.ok((await death.locator('pre').textContent()).includes(HOSTILE))
      const log = page.locator('.log')
      await log.getByText('after').waitFor()
      const lines = await log.locator('li').allTextContents()
      assert.ok(lines.some((line) => line.includes(HOSTILE)))
      assert.ok(lines.every((line) => line.length < 2200 && !/[\x1b\x07\u202e]/.test(line))) // eslint-disable-line no-control-regex -- none may be there
      assert.equal(await page.locator('img, .log script, .events script').count(), 0)
      await page.getByRole('searchbox').fill('ONERROR')
      await waitUntil(async () => (await log.locator('li:visible').count()) < lines.length, 'lines are left out') // prettier-ignore
      assert.ok((await log.locator('li:visible').count()) > 0)
      assert.equal(await page.title(), 'web - threadwise dashboard')
    })

    await t.test('changes the number of instances, and stops and starts it', async () => {
      assert.match(await agree(page, 'Scale ...', 1), /^web: 1 instance$/)
      assert.match(await agree(page, 'Stop'), /^web: stopped$/)
      await page.getByText('web does not run now.').waitFor()
      assert.match(await agree(page, 'Start web'), /^web: serves in the background/)
      await page.getByRole('heading', { name: 'web', exact: true }).waitFor()
    })

    await t.test('has no error of its script or its policy', () => assert.deepEqual(errors, []))
  })

  test('keeps many services with 64 instances readable, at any width', async (t) => {
    const load = loadOf({ requests: 123_456_789, rss: 1.5 * 1024 ** 3 })
    const names = Array.from({ length: 20 }, (_, index) => `service-with-a-name-${index}`)
    const services = () => names.map((name) => statusOf(name, { instances: 64, load, lastProblem: 'x'.repeat(500) })) // prettier-ignore
    const pools = () => [{ pid: process.pid, thread: 0, name: HOSTILE, kind: 'threads', size: 4, queued: 1, running: 4, completed: 9, failed: 0, refused: 0, waitP99: 5, runP99: 7, tasks: [{ task: HOSTILE, waitP99: 5, runP99: 1234 }] }] // prettier-ignore
    const { url } = await dashboardOf(t, fakeCollector({ services, pools }).collector)
    for (const width of [1200, 390]) {
      const { page, errors } = await open(t, `${url}#${names[3]}`, { width })
      await page.getByRole('heading', { name: names[3], exact: true }).waitFor()
      assert.equal(await page.locator('section').first().locator('tbody tr:visible').count(), 20)
      assert.equal(await page.locator('[aria-label=Instances] tbody tr').count(), 64)
      assert.match(await page.locator('[aria-label="Functions of pools"] tbody tr').innerText(), /1234 ms/)
      const sizes = await page.evaluate(() => [document.documentElement.scrollWidth, globalThis.innerWidth])
      assert.ok(sizes[0] <= sizes[1], `${sizes}`)
      const box = await page.locator('[aria-label=Instances]').boundingBox()
      assert.ok(box.height < 500, 'the instances scroll within their box')
      assert.equal(await page.getByText(HOSTILE).count() > 0, true) // prettier-ignore
      assert.deepEqual(errors, [])
    }
  })
})
