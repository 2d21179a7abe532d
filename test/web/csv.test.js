// examples/csv: both ways give the same sums, on workers without a frozen frame.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExample } from '../helpers/example-pages.js'
import { withoutChromium } from '../helpers/browsers.js'

test('examples/csv', { skip: withoutChromium, timeout: 120_000 }, async (t) => {
  const page = await openExample(t, 'csv', '?mb=10')
  const [inline, workers] = await page.evaluate(async () => {
    const { ways } = globalThis.example
    return Promise.all([ways.inline(), ways.workers()].map(async (sum) => ({ ...(await sum), sales: [...(await sum).sales].sort() }))) // prettier-ignore
  })
  assert.deepEqual(workers, inline)
  assert.equal(inline.sales.length, 8)
  const counted = await page.evaluate(
    async () => (await globalThis.example.file.text()).split('\n').length - 1,
  )
  assert.equal(inline.rows, counted)
  await page.click('#measure')
  await page.waitForFunction(() => /worst frame gap/.test(document.querySelector('#panel').textContent))
  const text = await page.textContent('#panel')
  assert.match(text, /^workers: \d\.\dx \(\d\.\d to \d\.\d\), worst frame gap \d+ ms instead of \d+$/)
  const [, here, there] = /gap (\d+) ms instead of (\d+)/.exec(text)
  assert.ok(Number(here) < Number(there), text)
})
