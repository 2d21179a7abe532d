// examples/image-filter: both ways give the same picture, and only one of them lets the animation run.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { startChromium, withoutChromium } from '../helpers/browsers.js'

const program = fileURLToPath(new URL('../../examples/image-filter/serve.mjs', import.meta.url))

test('examples/image-filter', { skip: withoutChromium, timeout: 120_000 }, async (t) => {
  const server = spawn(process.execPath, [program], { env: { ...process.env, PORT: '0' }, stdio: 'pipe' })
  t.after(() => server.kill('SIGKILL'))
  const [line] = await once(server.stdout, 'data')
  const browser = await startChromium()
  t.after(() => browser.close())
  const page = await browser.newPage()
  await page.goto(String(line).trim())
  await page.waitForFunction(() => globalThis.example)
  for (const name of ['blur', 'sharpen']) {
    const { inline, workers, isSame, hasChanged } = await page.evaluate(async (filter) => {
      const { measure, pixels, pool } = globalThis.example
      await pool.ready
      const before = pixels()
      const inline = await measure('inline', filter)
      const expected = pixels()
      const workers = await measure('workers', filter)
      const isSame = pixels().every((value, i) => value === expected[i])
      return { inline, workers, isSame, hasChanged: expected.some((value, i) => value !== before[i]) }
    }, name)
    assert.ok(isSame && hasChanged, name)
    assert.ok(
      workers.gaps.length > inline.gaps.length,
      `${workers.gaps.length} and ${inline.gaps.length} frames`,
    )
  }
  await page.click('button[data-way=workers]')
  await page.waitForSelector('#workers i')
  assert.match(await page.textContent('#workers p'), /^workers: \d+ ms, the longest frame \d+ ms$/)
})
