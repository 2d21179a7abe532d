// web: Web Workers of a real browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inEachBrowser, servePages } from '../helpers/browsers.js'

const hasSharedMemory = () => globalThis.crossOriginIsolated && typeof SharedArrayBuffer === 'function'

inEachBrowser('web', (start) => {
  let browser, server, page

  before(async () => {
    const workers = ['tasks', 'late', 'throws', 'setup-fails', 'setup-ends', 'never-serves'].map(
      (name) => `${name}.worker.js`,
    )
    server = await servePages(['page.js', ...workers])
    browser = await start()
    page = await open('')
  })

  after(async () => {
    await browser?.close()
    server?.close()
  })

  async function open(path) {
    const opened = await browser.newPage()
    await opened.goto(server.url + path)
    await opened.waitForFunction(() => globalThis.threadwise)
    return opened
  }

  /** Runs code in the page, with a pool that ends with it. */
  const inPage = (code, options = { size: 2 }, where = page) =>
    where.evaluate(
      async ([text, given]) => {
        const pool = threadwise.pool(given)
        try {
          return await (0, eval)(text)(pool)
        } finally {
          await pool.destroy()
        }
      },
      [String(code), options],
    )

  test('calls give their results, alone and by map', async () => {
    const results = await inPage(async (pool) => [
      await pool.tasks.add(2, 3),
      await pool.run('later', ['x']),
      await pool.map('double', [1, 2, 3]),
      (await Promise.all(Array.from({ length: 5000 }, (_, i) => pool.tasks.double(i)))).reduce(
        (a, b) => a + b,
      ),
    ])
    assert.deepEqual(results, [5, 'x', [2, 4, 6], 4999 * 5000])
  })

  test('values arrive as they are, and what occurs twice still does', async () => {
    const results = await inPage(async ({ tasks }) => {
      const twice = { a: 1 }
      const circle = { list: [twice, twice, , 3], map: new Map([[twice, new Set([1n])]]), date: new Date(5) } // eslint-disable-line no-sparse-arrays
      circle.self = circle
      const echoed = await tasks.echo(circle)
      const bytes = await tasks.echo(new Uint16Array([1, 2, 3]).subarray(1))
      const pixels = await tasks.echo(new ImageData(2, 2))
      const blob = await tasks.echo(new Blob(['text']))
      return {
        same: echoed.list[0] === echoed.list[1] && echoed.self === echoed && echoed.map.has(echoed.list[0]),
        hole: 2 in echoed.list,
        rest: [echoed.list.length, echoed.date.getTime(), [...bytes].join(), pixels.width, await blob.text()],
        texts: [await tasks.echo(-0), await tasks.echo(undefined), await tasks.echo(/x/gi)].map(String),
        url: String(
          await tasks.echo({ at: [new URL('http://a.example/b?c')] }).then(({ at }) => at[0].searchParams),
        ),
        proto: Object.keys(await tasks.echo(JSON.parse('{"__proto__": 1}'))),
      }
    })
    assert.deepEqual(results, {
      ...{ same: true, hole: false, rest: [4, 5, '2,3', 2, 'text'], texts: ['0', 'undefined', '/x/gi'] },
      ...{ url: 'c=', proto: ['__proto__'] },
    })
  })

  test('calls that travel together share nothing', async () => {
    const results = await inPage(async ({ tasks, map }) => {
      const list = [1, 2]
      await tasks.fill(list, 0) // its length is known from now on, so the next ones go together
      const filled = await Promise.all([tasks.fill(list, 'a'), tasks.fill(list, 'b'), tasks.echo(list)])
      return [...filled, await map('echo', [list, list]).then(([a, b]) => a === b), list]
    })
    assert.deepEqual(results, [['a', 'a'], ['b', 'b'], [1, 2], false, [1, 2]])
  })

  test('instances of registered classes stay what they are', async () => {
    const results = await inPage(async ({ tasks }) => {
      const { Money, Point } = threadwise
      const point = new Point(1, new Money(2))
      const [one, two] = await tasks.echo([point, point])
      return [await tasks.cents(new Money(7)), one === two, one instanceof Point, one.x, one.y.cents]
    })
    assert.deepEqual(results, [7, true, true, 1, 2])
  })

  test('errors arrive whole', async () => {
    const results = await inPage(async ({ tasks }) => {
      const error = await threadwise.rejection(tasks.fail())
      const { name, message, code, request, cause, stack } = error
      return {
        ...{ is: error instanceof RangeError, name, message, code },
        ...{
          url: String(request.url),
          retry: request.retry.slice(0, 5),
          isCause: cause instanceof TypeError,
        },
        ...{ cause: cause.message, isOfWorker: stack.includes('tasks.worker.js') },
      }
    })
    assert.deepEqual(results, {
      ...{ is: true, name: 'FailedUpload', message: 'no room', code: 'E_UPLOAD' },
      ...{ url: 'http://a.example/b', retry: '() =>', isCause: true, cause: 'disk full', isOfWorker: true },
    })
  })

  test('what cannot travel is told with its path', async () => {
    const messages = await inPage(async ({ tasks }) => {
      const circle = document.createElement('p')
      const calls = [tasks.echo({ a: [() => {}] }), tasks.echo(1, [circle]), tasks.uncloneable(), tasks.echo(new Proxy({}, { ownKeys() { throw new Error('no keys') } }))] // prettier-ignore
      const errors = await Promise.all(calls.map(threadwise.rejection))
      return errors.map(({ code, message }) => `${code} ${message}`)
    })
    assert.match(messages[0], /^TW_ERR_NOT_CLONEABLE .*args\[0\]\.a\[0\] is a function/)
    assert.match(messages[1], /^TW_ERR_NOT_CLONEABLE .*args\[1\]\[0\] is an HTMLParagraphElement/)
    assert.match(messages[2], /^TW_ERR_NOT_CLONEABLE .*result\.deep\[0\] is a function/)
    assert.match(messages[3], /^TW_ERR_NOT_CLONEABLE .*no keys/)
  })

  test('what is larger than a message can be is refused, and of an error its fields alone are lost', async () => {
    const told = await inPage(async ({ tasks }) => {
      const endless = new Array(5).fill('x'.repeat(2 ** 28))
      const error = await threadwise.rejection(tasks.failWithTooMuch())
      const { name, message, code, stack } = error
      const refused = await Promise.all([tasks.tooMuch(), tasks.echo(endless)].map(threadwise.rejection))
      return {
        error: [
          error instanceof RangeError,
          name,
          message,
          code,
          'sent' in error,
          stack.includes('tasks.worker.js'),
        ],
        refused: refused.map((each) => `${each.code} ${each.message}`),
        next: await tasks.add(1, 1),
      }
    })
    assert.deepEqual(told.error, [true, 'FailedUpload', 'too much', 'E_UPLOAD', false, true])
    for (const text of told.refused)
      assert.match(text, /^TW_ERR_NOT_CLONEABLE .*(result|args\[0\]|argument).*larger than a message can be/)
    assert.equal(told.next, 2)
  })

  test('signal, timeout and progress', async () => {
    const results = await inPage(
      async (pool) => {
        const controller = new AbortController()
        const seen = []
        const onProgress = (value) => {
          seen.push(value)
          controller.abort('enough')
        }
        const aborted = await threadwise.rejection(
          pool.run('untilAborted', [], { signal: controller.signal, onProgress }),
        )
        const noted = await pool.tasks.noted()
        const late = await threadwise.rejection(pool.run('burn', [60_000], { timeout: 50, gracePeriod: 50 }))
        return { aborted, seen, noted, late: late.code, next: await pool.tasks.add(1, 1) }
      },
      { size: 1 },
    )
    assert.deepEqual(results, {
      ...{ aborted: 'enough', seen: ['waits'], noted: ['aborted: enough'] },
      ...{ late: 'TW_ERR_TIMEOUT', next: 2 },
    })
  })

  test('a call that never ends gives its place to the next one after gracePeriod', async () => {
    const results = await inPage(
      async (pool) => {
        const late = await threadwise.rejection(
          pool.run('later', [1, 600_000], { timeout: 20, gracePeriod: 5 }),
        )
        const next = await pool.tasks.add(1, 1)
        const stream = pool.stream('thenHang', [1], { gracePeriod: 5 })
        await stream.next()
        void stream.next()
        await stream.return()
        return [late.code, next, await pool.tasks.add(2, 2)]
      },
      { size: 1 },
    )
    assert.deepEqual(results, ['TW_ERR_TIMEOUT', 2, 4])
  })

  test('streams, forks and algorithms', async () => {
    const results = await inPage(async (pool) => {
      const items = []
      for await (const item of pool.stream('count', [5])) items.push(item)
      const { parallel } = threadwise
      return [items, await pool.tasks.total([1, 2, 3, 4, 5]), await parallel.map(pool, 'double', [1, 2, 3])]
    })
    assert.deepEqual(results, [[0, 1, 2, 3, 4], 15, [2, 4, 6]])
  })

  test('buffers are moved', async () => {
    const results = await inPage(async (pool) => {
      const { buffer } = new Uint8Array(100_000)
      const size = await pool.run('size', [buffer], { transfer: [buffer] })
      const again = await threadwise.rejection(pool.run('size', [buffer], { transfer: [buffer] }))
      const bitmap = await createImageBitmap(new ImageData(3, 2))
      const back = await pool.run('echo', [bitmap], { transfer: [bitmap] })
      const moved = [bitmap.width, back.width]
      return [size, buffer.byteLength, again.code, (await pool.tasks.moved(10)).byteLength, ...moved]
    })
    assert.deepEqual(results, [100_000, 0, 'TW_ERR_NOT_CLONEABLE', 10, 0, 3])
  })

  test('priority, key, workerData, resize, stats', async () => {
    const results = await inPage(
      async (pool) => {
        await pool.ready
        const busy = pool.tasks.burn(50)
        const calls = [-20, 0, 20].map((priority) => pool.run('note', [priority], { priority }))
        await Promise.all([busy, ...calls])
        const order = await pool.tasks.noted()
        pool.resize(3)
        const places = await Promise.all(
          Array.from({ length: 9 }, () => pool.run('whereAmI', [], { key: 'k' })),
        )
        const { kind, completed, workers } = await pool.inspect()
        return { order, size: pool.size, ids: new Set(places.map(({ id }) => id)).size, place: [places[0].name, places[0].region], kind, completed, worker: typeof workers[0].eventLoopUtilization } // prettier-ignore
      },
      { size: 1, name: 'tiles', workerData: { region: 'north' } },
    )
    assert.deepEqual(results, {
      ...{ order: [20, 0, -20], size: 3, ids: 1, place: ['tiles', 'north'] },
      ...{ kind: 'web', completed: 14, worker: 'number' },
    })
  })

  test('close waits for what was accepted, and destroy does not', async () => {
    const results = await page.evaluate(async () => {
      const { pool, rejection } = threadwise
      const closing = pool({ size: 1 })
      const accepted = closing.tasks.later('done', 20)
      await closing.close()
      const destroyed = pool({ size: 1 })
      const open = rejection(destroyed.tasks.later('never', 60_000))
      await destroyed.destroy()
      return [await accepted, (await rejection(closing.tasks.add(1, 1))).code, (await open).code]
    })
    assert.deepEqual(results, ['done', 'TW_ERR_CLOSED', 'TW_ERR_DESTROYED'])
  })

  test('calls settle when their worker closes itself, and another takes its place', async () => {
    const results = await inPage(
      async (pool) => {
        await pool.ready
        // The second one would be answered after a minute by a worker whose end nobody has noticed.
        const [first, next] = [
          threadwise.rejection(pool.tasks.end()),
          threadwise.rejection(pool.tasks.later(1, 60_000)),
        ]
        const { code } = await Promise.race([first, next])
        return { code, after: await pool.tasks.add(1, 1) }
      },
      { size: 1, tasksPerWorker: 2 },
    )
    assert.deepEqual(results, { code: 'TW_ERR_WORKER_EXITED', after: 2 })
  })

  test('and when it is terminated from outside', async () => {
    const results = await inPage(
      async (pool) => {
        await pool.ready
        const call = threadwise.rejection(pool.tasks.later(1, 60_000))
        await pool.inspect() // it was sent
        threadwise.workers.at(-1).terminate()
        return [(await call).code, await pool.tasks.add(1, 1)]
      },
      { size: 1 },
    )
    assert.deepEqual(results, ['TW_ERR_WORKER_EXITED', 2])
  })

  test('what is under way settles with its worker: a stream, a map, and who waits for a fork', async () => {
    const results = await inPage(
      async (pool) => {
        const items = []
        const streamed = await threadwise.rejection(
          (async () => {
            for await (const item of pool.stream('endAfter', [2])) items.push(item)
          })(),
        )
        const mapped = await threadwise.rejection(pool.map('endAtThree', [1, 2, 3, 4]))
        const forked = await threadwise.rejection(pool.run('endOf', [['end']]))
        return [items, streamed.code, mapped.code, forked.code, await pool.tasks.add(1, 1)]
      },
      { size: 1 },
    )
    const code = 'TW_ERR_WORKER_EXITED'
    assert.deepEqual(results, [[0, 1], code, code, code, 2])
  })

  for (const [name, message] of [
    ['throwOutside', 'from a timer'],
    ['rejectOutside', 'nobody waits'],
  ])
    // prettier-ignore
    test(`an error outside of a task ends its worker: ${name}`, async () => {
      const code = `async (pool) => {
        const error = await threadwise.rejection(pool.tasks.${name}())
        return [error.code, error.cause instanceof RangeError && error.cause.message, await pool.tasks.add(1, 1)]
      }`
      assert.deepEqual(await inPage(code, { size: 1 }), ['TW_ERR_WORKER_EXITED', message, 2])
    })

  for (const [name, reason] of [
    ['absent', /could not be loaded/],
    ['throws', /the module of a worker throws/],
    ['setup-fails', /no connection/],
    ['setup-ends', /ended/],
    ['never-serves', /./],
  ])
    // prettier-ignore
    test(`a worker that cannot start is told: ${name}`, async () => {
      const { code, message } = await page.evaluate(async (worker) => {
        const startTimeout = worker === 'never-serves' ? 50 : 60_000 // thirty times as long for its first word
        const pool = threadwise.pool({ size: 1, startTimeout }, worker)
        const { code, message } = await threadwise.rejection(pool.tasks.add(1, 1))
        await pool.destroy()
        return { code, message }
      }, name)
      assert.equal(code, name === 'never-serves' ? 'TW_ERR_START_TIMEOUT' : 'TW_ERR_START_FAILED')
      assert.match(message, reason)
    })

  test('a worker may await something before it serves', async () => {
    const sum = await page.evaluate(async () => {
      const pool = threadwise.pool({ size: 1 }, 'late')
      const sum = await pool.tasks.add(1, 1)
      await pool.close()
      return sum
    })
    assert.equal(sum, 2)
  })

  test('memory is shared where the page is isolated', async () => {
    const code = async (pool) => {
      if (!pool.capabilities.sharedMemory) return undefined
      const view = new Uint8Array(new SharedArrayBuffer(4))
      await pool.tasks.writeShared(view)
      return view[3]
    }
    const isolated = await open('isolated/')
    const isThere = await isolated.evaluate(hasSharedMemory)
    assert.equal(await inPage(code, { size: 1 }, isolated), isThere ? 7 : undefined)
    assert.equal(await inPage(code), undefined)
  })

  test('a loop sees that it is aborted where the page is isolated', async (t) => {
    const code = async (pool) => {
      await pool.ready
      const late = await threadwise.rejection(
        pool.run('loopUntilAborted', [], { timeout: 50, gracePeriod: 60_000 }),
      )
      return [late.code, await pool.tasks.noted()]
    }
    const isolated = await open('isolated/')
    if (!(await isolated.evaluate(hasSharedMemory))) return t.skip('WebKitGTK isolates pages without it')
    assert.deepEqual(await inPage(code, { size: 1 }, isolated), ['TW_ERR_TIMEOUT', ['left the loop']])
  })

  test('a browser that is older tells errors, and settles what it can', async () => {
    const older = await browser.newPage()
    await older.goto(`${server.url}older/`)
    await older.waitForFunction(() => globalThis.threadwise)
    const results = await inPage(
      async (pool) => {
        const { message } = await threadwise.rejection(pool.tasks.fail())
        const late = await threadwise.rejection(pool.run('later', [1, 60_000], { timeout: 50 }))
        await pool.close()
        const lacks = ['captureStackTrace' in Error, 'locks' in navigator]
        return [lacks, message, late.code, (await threadwise.rejection(pool.tasks.add(1, 1))).code]
      },
      { size: 1 },
      older,
    )
    assert.deepEqual(results, [[false, false], 'no room', 'TW_ERR_TIMEOUT', 'TW_ERR_CLOSED'])
  })

  test('where the zero of the clock moves all calls are answered, and none took less than no time', async () => {
    const unsteady = await open('unsteady/')
    const [sum, ...times] = await inPage(
      async (pool) => {
        const calls = Array.from({ length: 2000 }, (_, i) => pool.tasks.double(i))
        const sum = (await Promise.all(calls)).reduce((a, b) => a + b)
        const { wait, run } = pool.stats()
        return [sum, wait.mean, wait.p50, run.mean, run.p50]
      },
      { size: 2 },
      unsteady,
    )
    assert.equal(sum, 1999 * 2000)
    assert.deepEqual(times.filter((time) => !(time >= 0)), []) // prettier-ignore
  })

  test('options that a browser cannot honour are refused', async () => {
    const messages = await page.evaluate(() =>
      [{ env: {} }, { whenFull: 'caller-runs', maxQueue: 1 }, { recycle: { maxHeapBytes: 1 } }].map(
        (options) => {
          try {
            threadwise.pool(options)
            return 'none'
          } catch ({ message }) {
            return message
          }
        },
      ),
    )
    const names = [/^env must be left out/, /^whenFull must be/, /^recycle\.maxHeapBytes must be left out/]
    names.forEach((name, i) => assert.match(messages[i], name))
  })
})
