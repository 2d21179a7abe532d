// examples/image-filter: both ways give the same picture, and only one of them lets the animation run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExample } from '../helpers/example-pages.js'
import { withoutChromium } from '../helpers/browsers.js'

test('examples/image-filter', { skip: withoutChromium, timeout: 120_000 }, async (t) => {
  const page = await openExample(t, 'image-filter')
  for (const name of ['blur', 'sharpen']) {
    const { inline, workers, isSame, hasChanged } = await page.evaluate(async (filter) => {
      const { runOnce, pixels, pool } = globalThis.example
      await pool.ready
      const before = pixels()
      const inline = await runOnce('inline', filter)
      const expected = pixels()
      const workers = await runOnce('workers', filter)
      const isSame = pixels().every((value, i) => value === expected[i])
      return { inline, workers, isSame, hasChanged: expected.some((value, i) => value !== before[i]) }
    }, name)
    assert.ok(isSame && hasChanged, name)
    assert.ok(
      workers.gaps.length > inline.gaps.length,
      `${workers.gaps.length} and ${inline.gaps.length} frames`,
    )
  }
  await page.evaluate(() => {
    const button = document.querySelector('button[data-way=workers]')
    button.click()
    button.click() // it is off by then
  })
  await page.waitForSelector('#workers i')
  assert.equal(await page.evaluate(() => document.querySelectorAll('button:disabled').length), 0)
  assert.match(await page.textContent('#workers p'), /^workers: \d+ ms, the longest frame \d+ ms$/)
  await page.click('#measure')
  await page.waitForFunction(() => /worst frame gap/.test(document.querySelector('#panel').textContent))
  assert.match(
    await page.textContent('#panel'),
    /^workers: \d\.\dx \(\d\.\d to \d\.\d\), worst frame gap \d+ ms instead of \d+$/,
  )
  assert.match(await page.textContent('#verdict'), /^workers: .* on this machine, .*\.$/)
})
