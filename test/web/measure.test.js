// threadwise/web/measure: ways to do the same work, compared in a page.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { measure } from 'threadwise/web/measure'
import { servePages, startChromium, withoutChromium } from '../helpers/browsers.js'

describe('measure() in a page', { skip: withoutChromium }, () => {
  let browser, server, page

  before(async () => {
    server = await servePages(['measures.js'])
    browser = await startChromium()
    page = await browser.newPage()
    await page.goto(`${server.url}?measures`)
    await page.waitForFunction(() => globalThis.measure)
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  test('tells how much faster a way is, with an interval, and how long the page stood still', async () => {
    const { ways, text } = await page.evaluate(() => {
      const burn = (ms) => {
        const end = performance.now() + ms
        while (performance.now() < end);
      }
      return globalThis.measure({ slow: () => burn(60), fast: () => burn(20) }, { rounds: 6 })
    })
    const [slow, fast] = ways
    assert.deepEqual([slow.name, fast.name, slow.speedup], ['slow', 'fast', undefined])
    assert.ok(slow.ms >= 60 && slow.worstFrameMs >= 60, JSON.stringify(slow))
    const { ratio, low, high } = fast.speedup
    assert.ok(1 < low && low < ratio && ratio < high && ratio < 4, JSON.stringify(fast))
    assert.match(text, /^fast: \d\.\dx \(\d\.\d to \d\.\d\), worst frame gap \d+ ms instead of \d+$/)
  })

  test('says that work is too short for the clock, and that a way is no faster', async () => {
    const [short, same] = await page.evaluate(async () => {
      const burn = (ms) => {
        const end = performance.now() + ms
        while (performance.now() < end);
      }
      const short = await globalThis.measure(
        { inline: () => [1].length, workers: () => burn(30) },
        { rounds: 4 },
      )
      const slower = await globalThis.measure(
        { inline: () => burn(20), workers: () => burn(80) },
        { rounds: 4 },
      )
      return [short, slower]
    })
    assert.match(
      short.text,
      /^workers: too short to measure, let each run do more; worst frame gap \d+ ms instead of \d+$/,
    )
    assert.equal(short.ways[1].speedup, undefined)
    assert.deepEqual(short.sentences, ['workers: too short to be measured. Let each run do more.'])
    assert.match(same.sentences[0], /^workers: takes \d\.\d times as long as inline on this machine, /)
  })

  test('runs each way once a round, in turn, and once before', async () => {
    const order = await page.evaluate(async () => {
      const runs = []
      const way = (name) => async () => void runs.push(name)
      await globalThis.measure({ a: way('a'), b: way('b') }, { rounds: 4 })
      return runs.join('')
    })
    assert.equal(order, 'ab' + 'abba'.repeat(2))
  })

  test('rejects with what a way throws, and where no frame is drawn', async () => {
    const errors = await page.evaluate(async () => {
      const of = (promise) => promise.catch(({ code, message }) => code ?? message)
      const nothing = () => {}
      const fails = () => {
        throw new Error('no data')
      }
      const thrown = await of(globalThis.measure({ a: nothing, b: fails }))
      const refused = [{ a: nothing }, { a: nothing, b: 1 }].map((ways) => of(globalThis.measure(ways)))
      const few = of(globalThis.measure({ a: nothing, b: nothing }, { rounds: 3 }))
      Object.defineProperty(document, 'hidden', { value: true })
      return [thrown, ...(await Promise.all([...refused, few])), await of(globalThis.measure({ a: nothing, b: nothing }))] // prettier-ignore
    })
    const wrong = 'TW_ERR_INVALID_OPTION'
    assert.deepEqual(errors, ['no data', wrong, wrong, wrong, 'TW_ERR_INVALID_CALL'])
  })
})

test('measure() rejects on a server', async () => {
  const nothing = () => {}
  await assert.rejects(measure({ a: nothing, b: nothing }), { code: 'TW_ERR_INVALID_CALL' })
})
