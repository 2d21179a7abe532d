// Instances of registered classes stay instances, on every executor.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThreadwiseError, registerClass } from 'threadwise'
import { Box, Day, Headers2, Money, PaymentError, Picky, Point, Point3, Safe, SecretError, Stubborn, UnregisteredError } from '../fixtures/classes/shapes.js' // prettier-ignore
import { describeExecutors, rejection } from '../helpers/executors.js'
import { all } from '../helpers/streams.js'

globalThis.isTestProgram = true

describeExecutors('registered classes', (make, { isPool }) => {
  const executor = make('classes.js')

  test('an argument and a result are instances, with their methods', async () => {
    assert.equal(await executor.tasks.lengthOf(new Point(3, 4)), 5)
    const point = await executor.tasks.makePoint(7)
    assert.ok(point instanceof Point)
    assert.deepEqual([point.x, point.length], [7, 7])
    assert.ok((await executor.tasks.later(point)) instanceof Point)
  })

  test('private state travels through toData and fromData', async () => {
    assert.equal(await executor.tasks.centsOf(new Money(250)), 250)
    const money = await executor.tasks.echo(new Money(5))
    assert.ok(money instanceof Money)
    assert.equal(money.cents, 5)
    const safe = await executor.tasks.makeSafe(9)
    assert.ok(safe instanceof Safe && safe.content instanceof Safe)
    assert.equal(safe.content.content[0].cents, 9)
    assert.ok(safe.content.content[1] instanceof Point)
  })

  test('items of a stream are instances and whole errors between plain ones, wherever a batch ends', async (t) => {
    if (!executor.capabilities.streams) return t.skip('it has no streams')
    for (const highWaterMark of [1, 2, 3, 7, 64]) {
      const items = await all(executor.stream('plainAndNot', [40], { highWaterMark }))
      assert.equal(items.length, 160)
      items.forEach((item, i) => {
        const n = Math.floor(i / 4)
        const seen = [item, item?.cents, item?.[0], item?.code][i % 4]
        assert.equal(seen, [`price ${n}`, n, n, `E_${n}`][i % 4], `item ${i} of ${highWaterMark}`)
      })
      assert.ok(items[1] instanceof Money && items[3] instanceof RangeError)
    }
  })

  test('they are kept within objects, arrays, maps, sets and each other', async () => {
    const value = {
      list: [new Point(1, 2), [new Money(3)]],
      map: new Map([['p', new Point(5, 6)], [new Money(7), 1], ['last', 2]]), // prettier-ignore
      set: new Set([1, new Money(8), new Point(9, 9), 2]),
      box: new Box(new Box({ money: new Money(10) })),
      date: new Date(5),
      bytes: new Uint8Array([1, 2]),
      bare: Object.assign(Object.create(null), { point: new Point(1, 1) }),
    }
    const back = await executor.tasks.echo(value)
    assert.ok(back.list[0] instanceof Point && back.list[1][0] instanceof Money)
    assert.ok(back.map.get('p') instanceof Point)
    const keys = [...back.map.keys()]
    assert.deepEqual([keys[0], keys[1].cents, keys[2]], ['p', 7, 'last'])
    const items = [...back.set]
    assert.deepEqual([items[0], items[1].cents, items[2].x, items[3]], [1, 8, 9, 2])
    assert.equal(back.box.content.content.money.cents, 10)
    assert.deepEqual([back.date, back.bytes], [value.date, value.bytes])
    assert.ok(back.bare.point instanceof Point)
  })

  test('shared references and circles are kept', async () => {
    const money = new Money(1)
    const point = new Point(1, 1)
    const back = await executor.tasks.echo({ a: [money, point], b: [money, point] })
    assert.equal(back.a[0], back.b[0])
    assert.equal(back.a[1], back.b[1])
    assert.ok(back.a[0] instanceof Money)
    assert.equal(await executor.tasks.isSame(money, money), true)
    const circle = await executor.tasks.makeCircle()
    assert.ok(circle instanceof Box)
    assert.equal(circle.content.box, circle)
    assert.equal(circle.content.money.cents, 5)
    assert.equal(await executor.tasks.isCircle(circle), true)
  })

  test('classes that extend Map or Date come back with what they hold', async () => {
    const headers = await executor.tasks.echo(new Headers2([['a', 1]]))
    assert.ok(headers instanceof Headers2)
    assert.equal(headers.get('a'), 1)
    for (const value of [new Day(5), [new Day(5)]]) {
      const day = [await executor.tasks.echo(value)].flat()[0]
      assert.ok(day instanceof Day)
      assert.equal(day.getTime(), 5)
    }
  })

  test('a subclass that is not registered travels as before', async () => {
    const back = await executor.tasks.echo(new Point3(1, 2))
    assert.deepEqual({ ...back }, { x: 1, y: 2, z: 3 })
    assert.equal(back instanceof Point, !isPool)
  })

  test('data that looks like our own marks is data', async () => {
    const marks = [
      { root: { value: 1 }, nodes: [], steps: [[2, {}, 'Point']] },
      { node: 0 },
      { value: 1 },
      [[3, {}, 'Money', 5]],
      { threadwise: [5, -1, { root: { value: 1 }, nodes: [] }, 0] },
      { 'threadwise.classes': 'Point', className: 'Point', at: {} },
    ]
    for (const mark of marks) {
      assert.deepEqual(await executor.tasks.echo(mark), mark)
      const [back, point] = await executor.tasks.echo([mark, new Point(1, 2)])
      assert.deepEqual(back, mark)
      assert.ok(point instanceof Point)
    }
    assert.deepEqual(await executor.tasks.echo(marks[0], new Money(1)).then(([mark]) => mark), marks[0])
  })

  test('what a task throws is an instance: name, message, stack, cause and fields', async () => {
    for (const task of ['throwPayment', 'rejectPayment']) {
      const error = await rejection(executor.run(task, [50]))
      assert.ok(error instanceof PaymentError)
      assert.deepEqual([error.name, error.message, error.isSmall], ['PaymentError', 'too small', true])
      assert.ok(error.amount instanceof Money)
      assert.match(error.stack, /throwPayment\b.*classes\.js/)
      assert.ok(error.cause instanceof PaymentError)
      assert.equal(error.cause.amount.cents, 1)
      assert.equal(Object.keys(error).includes('cause'), false)
    }
    const secret = await rejection(executor.tasks.throwSecret())
    assert.ok(secret instanceof SecretError)
    assert.ok(secret.secret instanceof Point)
    assert.deepEqual([secret.message, secret.code, secret.cause.message], ['hidden', 'E_SECRET', 'why'])
    assert.match(secret.stack, /throwSecret\b.*classes\.js/)
    const point = await rejection(executor.tasks.throwPoint())
    assert.ok(point instanceof Point)
    const below = await rejection(executor.tasks.throwSubclass())
    assert.deepEqual([below.name, below.message, below.amount], ['PaymentError', 'below', 7])
    assert.equal(below instanceof UnregisteredError, !isPool)
    assert.ok(below instanceof RangeError)
  })

  test('errors are instances in arguments and results too', async () => {
    const error = new PaymentError('sent', { cause: new Money(2) }, new Money(3))
    const [back, same] = await executor.tasks.echo(error, error)
    assert.ok(back instanceof PaymentError)
    assert.equal(back, same)
    assert.deepEqual([back.message, back.amount.cents, back.cause.cents], ['sent', 3, 2])
    assert.equal(await executor.tasks.name(error), 'PaymentError')
  })

  test('a signal that aborts with an instance does no harm', async () => {
    const controller = new AbortController()
    const call = rejection(executor.run('later', [1], { signal: controller.signal }))
    controller.abort(new PaymentError('enough', {}, new Money(1)))
    assert.ok((await call) instanceof PaymentError)
  })

  test('map gives instances', async () => {
    const points = await executor.map(
      'makePoint',
      Array.from({ length: 300 }, (_, i) => i),
    )
    assert.ok(points.every((point, i) => point instanceof Point && point.x === i))
    const cents = await executor.map('centsOf', [new Money(1), new Money(2)])
    assert.deepEqual(cents, [1, 2])
  })

  test('many calls with and without instances settle, each with its own', async () => {
    const calls = Array.from({ length: 600 }, (_, i) =>
      i % 3 === 0
        ? executor.tasks.echo(new Point(i, 0))
        : i % 3 === 1
          ? executor.tasks.add(i, 1)
          : executor.tasks.centsOf(new Money(i)),
    )
    const results = await Promise.all(calls)
    results.forEach((value, i) => {
      if (i % 3 === 0) assert.ok(value instanceof Point && value.x === i)
      else assert.equal(value, i % 3 === 1 ? i + 1 : i)
    })
  })

  test('calls that the caller runs itself, since the queue is full, give copies of the same kind', async () => {
    const own = make('classes.js', { size: 1, maxQueue: 0, whenFull: 'caller-runs' })
    const box = new Box([new Money(1)])
    for (const back of await Promise.all(Array.from({ length: 20 }, () => own.tasks.later(box)))) {
      assert.ok(back instanceof Box && back.content[0] instanceof Money)
      assert.equal(back === box, !isPool)
    }
  })

  test('a result with an instance and a buffer that moves', async () => {
    const { box, bytes } = await executor.tasks.makeMoved()
    assert.ok(box instanceof Box)
    assert.deepEqual([...bytes], [1, 2, 3])
  })

  test('a buffer in transfer goes along with an instance', async (t) => {
    if (!executor.capabilities.transfer) return t.skip('cannot transfer')
    const bytes = new Uint8Array([1, 2, 3])
    const back = await executor.run('echo', [new Box(bytes)], { transfer: [bytes.buffer] })
    assert.equal(bytes.length, 0)
    assert.ok(back instanceof Box)
    assert.deepEqual([...back.content], [1, 2, 3])
  })
})

describeExecutors('registered classes that cannot travel', (make, { isPool }) => {
  const executor = make('classes.js')
  /** Runs good calls beside the bad one: only that one may fail. */
  async function failure(call) {
    const [before, error, after] = await Promise.all([
      executor.tasks.add(1, 2),
      rejection(call()),
      executor.tasks.add(3, 4),
    ])
    assert.deepEqual([before, after], [3, 7])
    assert.ok(isThreadwiseError(error), String(error))
    return error
  }

  test('a class that the worker does not know', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    class Unknown {}
    registerClass(Unknown, { name: `Unknown in ${executor.kind} ${Math.random()}` })
    const error = await failure(() => executor.tasks.echo({ deep: [new Unknown()] }))
    assert.equal(error.code, 'TW_ERR_CLASS_NOT_REGISTERED')
    assert.match(
      error.message,
      /An argument of task "echo" .* class Unknown in .* not registered in the worker/,
    )
  })

  test('a class that the caller does not know', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await failure(() => executor.tasks.makeStranger())
    assert.equal(error.code, 'TW_ERR_CLASS_NOT_REGISTERED')
    assert.match(
      error.message,
      /The result of task "makeStranger" .* class Stranger, .* in the caller's thread/,
    )
  })

  test('what is thrown is told all the same, without its class', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    assert.deepEqual(await rejection(executor.tasks.throwStranger()), { inside: 1 })
    const error = await rejection(executor.tasks.throwStrangeError())
    assert.deepEqual([error.name, error.message, error.code], ['StrangeError', 'strange', 'E_STRANGE'])
    assert.ok(error.at instanceof Point)
    assert.deepEqual(error.inner, [{ inside: 1 }])
  })

  test('a toData that throws', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await failure(() => executor.tasks.echo(new Stubborn()))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(
      error.message,
      /An argument of task "echo".*toData\(\) of class Stubborn has thrown: .*not mine/,
    )
    assert.equal(error.cause.message, 'not mine to give')
    const result = await failure(() => executor.tasks.makeStubborn())
    assert.match(result.message, /The result of task "makeStubborn".*toData\(\) of class Stubborn has thrown/)
  })

  test('a fromData that throws', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await failure(() => executor.tasks.echo(new Picky('bad')))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /fromData\(\) of class Picky has thrown: RangeError: not with me/)
    assert.equal(error.cause.message, 'not with me')
    assert.equal((await executor.tasks.echo(new Picky('good'))).value, 'good')
  })

  test('data that holds its own instance', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const safe = new Safe([])
    safe.content.push({ safe })
    const error = await failure(() => executor.tasks.echo(safe))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    assert.match(error.message, /toData\(\) of class Safe gives holds the instance itself/)
  })

  test('an instance that holds a function', async (t) => {
    if (!isPool) return t.skip('nothing is sent')
    const error = await failure(() => executor.tasks.echo(new Box(() => {})))
    assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
    const mixed = await failure(() => executor.tasks.echo([new Money(1), () => {}]))
    assert.equal(mixed.code, 'TW_ERR_NOT_CLONEABLE')
  })
})
