// Values of many objects, which a page sends without a copy of its own: they arrive, and are refused, as small ones are.
/* global large, rowsWith, DOMMatrix, DOMPoint, DOMQuad, DOMRect */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inEachBrowser, servePages } from '../helpers/browsers.js'

inEachBrowser('large values', (start) => {
  let browser, server, page

  before(async () => {
    server = await servePages(['page.js', 'tasks.worker.js'])
    browser = await start()
    page = await browser.newPage()
    await page.goto(server.url)
    await page.waitForFunction(() => globalThis.threadwise)
    await page.evaluate(() => {
      globalThis.large = threadwise.pool({ size: 1 })
      globalThis.rowsWith = (part) => {
        const rows = Array.from({ length: 3000 }, (_, i) => ({ id: i, name: `row ${i}`, tags: ['a', 'b'] }))
        rows[2999].part = part
        return rows
      }
    })
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  test('plain rows arrive whole, and what occurs twice still does', async () => {
    const told = await page.evaluate(async () => {
      const twice = { a: 1 }
      const rows = rowsWith({ map: new Map([[twice, new Set([1n])]]), at: new Date(5), twice, bytes: new Uint8Array([1, 2, 3]).subarray(1) })
      rows.push(rows[0], undefined, null)
      const back = await large.tasks.echo(rows)
      const { part } = back[2999]
      return [back.length, back[7].name, back[3000] === back[0], part.map.has(part.twice), part.at.getTime(), [...part.bytes], back[3002]]
    }) // prettier-ignore
    assert.deepEqual(told, [3003, 'row 7', true, true, 5, [2, 3], null])
  })

  test('errors and instances within them stay what they are', async () => {
    const told = await page.evaluate(async () => {
      const { Money } = threadwise
      const error = Object.assign(new RangeError('deep'), { code: 'E_DEEP' })
      const back = await large.tasks.echo(
        rowsWith({ error, money: new Money(3), at: new URL('http://a.example/b') }),
      )
      const { part } = back[2999]
      return [
        part.error instanceof RangeError,
        part.error.code,
        part.money instanceof Money,
        part.at.pathname,
      ]
    })
    assert.deepEqual(told, [true, 'E_DEEP', true, '/b'])
  })

  test('what a list has beside its items is kept in results, and in small arguments in any company', async () => {
    const told = await page.evaluate(async () => {
      const { Money } = threadwise
      const list = () => Object.assign([1], { money: new Money(4) })
      const small = [list(), new Blob(['a']), new DOMRect(1, 2, 3, 4)]
      const isKept = async (call, at) => at(await call).money instanceof Money
      const calls = [large.tasks.echo(small), large.tasks.echo(small), large.tasks.echo(small)]
      const hasty = () => large.tasks.echo([rowsWith(1), list()])
      const hurried = await Promise.all([hasty(), hasty(), hasty()].map((call) => isKept(call, (back) => back[1])))
      return [
        await Promise.all(calls.map((call) => isKept(call, ([first]) => first))),
        await isKept(large.tasks.listedMoney(3000), (back) => back[3000]),
        new Set(hurried).size,
      ]
    }) // prettier-ignore
    assert.deepEqual(told, [[true, true, true], true, 1])
  })

  test('what an error holds stays what it is behind thousands of rows', async () => {
    const told = await page.evaluate(async () => {
      const error = Object.assign(new Error('x'), { status: 404, isFinal: true, details: { text: 'y'.repeat(300) } })
      const [rows, back] = await large.tasks.echo([Array.from({ length: 20_000 }, (_, i) => ({ i })), error])
      return [rows.length, back.status, back.isFinal, back.details.text.length]
    }) // prettier-ignore
    assert.deepEqual(told, [20_000, 404, true, 300])
  })

  test('classes of the browser arrive as what they are, alone and beside many rows', async () => {
    const told = await page.evaluate(async () => {
      const parts = [new DOMRect(1, 2, 3, 4), new DOMMatrix([1, 2, 3, 4, 5, 6]), new DOMPoint(1, 2), new DOMQuad(), new ImageData(2, 3), new Blob(['abc']), await createImageBitmap(new ImageData(2, 3))]
      const backs = []
      for (const part of parts) backs.push(await large.tasks.echo({ part }), (await large.tasks.echo(rowsWith(part)))[2999])
      return backs.map((back, i) => back.part.constructor === parts[i >> 1].constructor && JSON.stringify(back.part) === JSON.stringify(parts[i >> 1]))
    }) // prettier-ignore
    assert.deepEqual(told, Array(14).fill(true))
  })

  test('a picture within an error stays one, in few and in many objects', async () => {
    const told = await page.evaluate(async () => {
      const error = Object.assign(new RangeError('blurred'), { picture: new ImageData(2, 3), list: Array.from({ length: 5000 }, (_, i) => i) })
      const [few, many] = await Promise.all([large.tasks.echo({ error }), large.tasks.echo(rowsWith({ error }))])
      return [few.error, many[2999].part.error].flatMap(({ picture, list }) => [picture instanceof ImageData && picture.height, list.length, list[4999]])
    }) // prettier-ignore
    assert.deepEqual(told, [3, 5000, 4999, 3, 5000, 4999])
  })

  test('what cannot travel is refused with its path, either way', async () => {
    const told = await page.evaluate(async () => {
      class Empty {}
      const parts = [() => {}, new Empty(), document.body, new Proxy({ a: 1 }, {}), Promise.resolve(), { [Symbol('a')]: 1 }]
      const messages = []
      for (const part of parts)
        messages.push(await large.tasks.echo(rowsWith(part)).then(() => 'arrives', ({ code, message }) => `${code} ${message}`))
      messages.push(await threadwise.rejection(large.tasks.manyRows(3000, true)).then(({ message }) => message))
      return messages
    }) // prettier-ignore
    assert.equal(told[3], 'arrives')
    for (const i of [0, 1, 2, 4, 5])
      assert.match(told[i], /^TW_ERR_NOT_CLONEABLE .*args\[0\]\[2999\]\.part is an? /)
    assert.match(told[6], /result\[2999\]\.part is a function/)
  })

  test('a Map whose class keeps its entries elsewhere is refused: it would arrive empty', async () => {
    const message = await page.evaluate(async () => {
      class Draft extends Map {
        get size() {
          return 1
        }
      }
      return (await threadwise.rejection(large.tasks.echo(rowsWith(new Draft())))).message
    })
    assert.match(message, /args\[0\]\[2999\]\.part is a Map that keeps its entries elsewhere/)
  })

  test('results are as they were when the task gave them', async () => {
    const told = await page.evaluate(async () => {
      const [one, two] = await Promise.all([large.tasks.changingRows(3000), large.tasks.changingRows(3000)])
      return [one[0].state, two[0].state, one[0] === two[0]]
    })
    assert.deepEqual(told, [1, 2, false])
  })

  test('calls that are made together keep their order, and share nothing', async () => {
    const told = await page.evaluate(async () => {
      const rows = rowsWith(1)
      const calls = [
        large.tasks.note('a'),
        large.tasks.echo(rows),
        large.tasks.note('b'),
        large.tasks.echo(rows),
      ]
      const [, one, , two] = await Promise.all(calls)
      return [one === two, one.length, two.length, await large.tasks.noted()]
    })
    assert.deepEqual(told, [false, 3000, 3000, ['a', 'b']])
  })

  test('arguments travel as they were when the call was made: to a cold pool, a warm one, and behind another call', async () => {
    const told = await page.evaluate(async () => {
      const small = () => ({ deep: [{ state: 'as called' }] })
      const many = () => [{ deep: [{ state: 'as called' }] }, ...rowsWith(1)]
      const results = []
      for (const pool of [threadwise.pool({ size: 1 }), large]) {
        const calls = []
        for (const value of [small(), many(), small(), many()]) {
          calls.push(pool.tasks.echo(value))
          ;(Array.isArray(value) ? value[0] : value).deep[0].state = 'changed'
        }
        for (const value of await Promise.all(calls)) results.push((Array.isArray(value) ? value[0] : value).deep[0].state)
      }
      return results
    }) // prettier-ignore
    assert.deepEqual(told, Array(8).fill('as called'))
  })
})
