// Calls and their results, on every executor.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { test } from 'node:test'
import { describeExecutors, rejection } from '../helpers/executors.js'

describeExecutors('results', (make, { isPool }) => {
  const executor = make('basic.js')

  test('a task gives its result through tasks and through run', async () => {
    assert.equal(await executor.tasks.add(2, 3), 5)
    assert.equal(await executor.run('add', [2, 3]), 5)
    assert.equal(await executor.run('argumentCount'), 0)
    assert.equal(await executor.tasks.argumentCount(1, undefined, 3), 3)
  })

  test('an asynchronous task gives its value', async () => {
    assert.equal(await executor.tasks.later('x'), 'x')
    assert.equal(await executor.tasks.nothing(), undefined)
  })

  test('values arrive equal', async () => {
    const shared = { a: 1 }
    const values = [
      undefined,
      null,
      true,
      -0,
      NaN,
      1.5,
      2n ** 70n,
      'text \u{1F600} \uD800',
      new Date(5),
      /x/gi,
      new Map([[1, new Set(['a'])]]),
      new Uint8Array([1, 2, 3]),
      { nested: [{ deep: [] }], twice: [shared, shared] },
    ]
    for (const value of values) assert.deepEqual(await executor.tasks.echo(value), value)
  })

  test('the result is a native promise, and tasks is not mistaken for one', async () => {
    assert.ok(executor.tasks.add(1, 1) instanceof Promise)
    assert.equal(typeof (await executor.tasks).add, 'function')
    assert.equal(executor.tasks.add, executor.tasks.add)
  })

  test('tasks run where the executor says', async () => {
    const { pid, isMainThread } = await executor.tasks.place()
    assert.equal(pid === process.pid && isMainThread, !executor.capabilities.parallel)
    assert.equal(executor.capabilities.parallel, isPool)
  })

  test('map keeps the order of its inputs, whatever they come from', async () => {
    const inputs = Array.from({ length: 100 }, (_, i) => i)
    const doubled = inputs.map((n) => n * 2)
    assert.deepEqual(await executor.map('double', inputs), doubled)
    assert.deepEqual(await executor.map('double', new Set(inputs)), doubled)
    async function* generate() {
      yield* inputs
    }
    assert.deepEqual(await executor.map('double', generate()), doubled)
    assert.deepEqual(await executor.map('double', []), [])
  })

  test('map rejects with the first error and stops asking for inputs', async () => {
    let asked = 0
    function* inputs() {
      for (asked = 0; asked < 1_000_000; asked++) yield asked
    }
    const error = await rejection(executor.map('noSuchTask', inputs()))
    assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
    assert.ok(asked < 20_000, `asked for ${asked} inputs`)
  })

  test('thousands of calls in flight all settle, each with its own result', async () => {
    const results = await Promise.all(Array.from({ length: 10_000 }, (_, i) => executor.tasks.add(i, 1)))
    assert.ok(results.every((value, i) => value === i + 1))
    const later = await Promise.all(Array.from({ length: 2_000 }, (_, i) => executor.tasks.later(i)))
    assert.ok(later.every((value, i) => value === i))
  })

  test('results that become ready together, more than there is room for, all arrive', async () => {
    for (let round = 0; round < 29; round++) {
      const length = 3000 + 1000 * round
      const calls = Array.from({ length: 150 + round }, (_, i) => executor.tasks.textLater(length, i % 3))
      for (const text of await Promise.all(calls)) assert.equal(text.length, length)
    }
  })

  test('stats count what became of each call', async () => {
    const counted = make('basic.js')
    await counted.ready
    await Promise.all([counted.tasks.add(1, 2), counted.tasks.later(1), rejection(counted.tasks.missing())])
    const { kind, queued, running, completed, failed, cancelled } = counted.stats()
    assert.deepEqual(
      { kind, queued, running, completed, failed, cancelled },
      { kind: executor.kind, queued: 0, running: 0, completed: 2, failed: 1, cancelled: 0 },
    )
  })

  test('large buffers are copied where the capabilities say so: both sides keep theirs', async (t) => {
    const data = Float64Array.from({ length: 40_000 }, (_, i) => i / 7)
    const copy = data.slice()
    const image = { data, width: 200, again: [data] }
    const [back, kept] = await Promise.all([executor.tasks.echo(image), executor.tasks.keep(data)])
    assert.deepEqual(back, { data: copy, width: 200, again: [copy] })
    assert.equal(back.data, back.again[0])
    assert.deepEqual(kept, copy)
    if (!executor.capabilities.copies) return t.diagnostic(`${executor.kind} gives the same array`)
    kept[0] = 5
    assert.deepEqual(data, copy)
  })

  test('a task goes on with a large buffer that it has returned', async (t) => {
    if (!executor.capabilities.copies) return t.skip(`${executor.kind} gives the same array`)
    const one = make('basic.js', isPool ? { size: 1 } : {})
    const bytes = new Uint8Array(300_000).fill(1)
    await one.tasks.keep(bytes)
    const first = await one.tasks.kept()
    const second = await one.tasks.kept()
    assert.deepEqual([first, second], [new Uint8Array(300_000).fill(2), new Uint8Array(300_000).fill(3)])
  })

  test('typed arrays have memory of their own, which holds nothing else', async () => {
    const views = [new Uint8Array(5), new Float64Array(3), new DataView(new ArrayBuffer(9)), new Uint8Array(9000)] // prettier-ignore
    const many = Array.from({ length: 40 }, (_, i) => views[i % views.length])
    const bytes = many.map(({ byteLength }) => [0, byteLength, byteLength])
    const seen = await Promise.all(many.map((view) => executor.tasks.memoryOf(view, 'beside it')))
    assert.deepEqual(seen, bytes)
    const results = await Promise.all(many.map((view) => executor.tasks.echo(view)))
    const memory = results.map((view) => [view.byteOffset, view.byteLength, view.buffer.byteLength])
    assert.deepEqual(memory, bytes)
    if (executor.capabilities.copies) assert.equal(new Set(results.map(({ buffer }) => buffer)).size, 40)
  })

  test('a SharedArrayBuffer is shared where the capabilities say so', async (t) => {
    if (!executor.capabilities.sharedMemory) {
      const error = await rejection(executor.tasks.echo(new SharedArrayBuffer(8)))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      return t.diagnostic('processes share no memory: the call is refused')
    }
    const buffer = new SharedArrayBuffer(8)
    const back = await executor.tasks.echo(buffer)
    new Uint8Array(back)[0] = 9
    assert.equal(new Uint8Array(buffer)[0], 9)
  })

  test('what was moved before is refused, and fails no other call', async (t) => {
    if (!executor.capabilities.transfer) return t.skip(`${executor.kind} cannot transfer`)
    const own = make('basic.js', { size: 1 })
    const bytes = new Uint8Array([1, 2, 3])
    const transfer = [bytes.buffer]
    const other = own.tasks.later('other', 20)
    assert.deepEqual(await own.run('echo', [bytes], { transfer }), new Uint8Array([1, 2, 3]))
    for (const value of [bytes, bytes.buffer])
      assert.equal((await rejection(own.run('echo', [value], { transfer }))).code, 'TW_ERR_NOT_CLONEABLE')
    assert.equal((await own.tasks.movedAgain()).length, 3)
    assert.equal((await rejection(own.tasks.movedAgain())).code, 'TW_ERR_NOT_CLONEABLE')
    assert.equal(await other, 'other')
    assert.deepEqual(await own.run('echo', [new ArrayBuffer(0)], { transfer: [] }), new ArrayBuffer(0))
  })

  test('an arguments object arrives by its fields', async (t) => {
    if (!isPool) return t.skip('nothing is copied')
    const argumentsOf = (function () {
      return arguments
    })(1, 2)
    for (const value of [argumentsOf, { deep: argumentsOf }, [{ 0: 1, 1: 2 }, argumentsOf]])
      assert.deepEqual(await executor.tasks.echo(value), JSON.parse(JSON.stringify(value)))
  })

  test('transfer moves a buffer where the capabilities say so', async (t) => {
    if (!executor.capabilities.transfer) return t.skip(`${executor.kind} cannot transfer`)
    const bytes = new Uint8Array([1, 2, 3])
    const back = await executor.run('echo', [bytes], { transfer: [bytes.buffer] })
    assert.equal(bytes.length, 0)
    assert.deepEqual([...back], [1, 2, 3])
  })

  test('a port and an open file can be moved, and a port back', async (t) => {
    if (!executor.capabilities.transfer) return t.skip(`${executor.kind} cannot transfer`)
    const { port1, port2 } = new MessageChannel()
    assert.match((await rejection(executor.tasks.echo({ port2 }))).message, /port2 is a MessagePort, which can only be moved/) // prettier-ignore
    const back = await executor.run('movedBack', [{ port: port2 }], { transfer: [port2] })
    const answer = once(port1, 'message')
    back.port.postMessage('hello')
    assert.deepEqual(await answer, ['hello'])
    port1.close()
    const file = await open(new URL(import.meta.url))
    assert.ok((await executor.run('sizeOf', [file], { transfer: [file] })) > 1000)
  })
})

describeExecutors('the module', (make) => {
  const files = { 'basic.js': 'add', 'module.mjs': 'add', 'common.cjs': 'add', 'default-object.js': 'add' }
  for (const [file, task] of Object.entries(files)) {
    test(`${file} can be a task file`, async () => {
      assert.equal(await make(file).run(task, [1, 2]), 3)
    })
  }

  test('a TypeScript file runs where Node runs it, and fails clearly where it does not', async () => {
    const executor = make('typed.ts')
    if (process.features.typescript) return assert.equal(await executor.run('add', [1, 2]), 3)
    const error = await rejection(executor.run('add', [1, 2]))
    assert.equal(error.code, 'TW_ERR_START_FAILED')
    assert.match(error.message, /typed\.ts/)
    assert.match(error.message, /TypeScript/)
  })

  test('a CommonJS export whose name is no identifier is found', async () => {
    assert.equal(await make('common.cjs').run('with-dash'), 'dash')
  })

  test('a name that is no exported function is refused, with the names that are', async () => {
    const executor = make('basic.js')
    for (const name of ['missing', 'notATask', 'constructor', '__proto__', 'toString']) {
      const error = await rejection(executor.run(name, []))
      assert.equal(error.code, 'TW_ERR_TASK_NOT_FOUND')
      assert.match(error.message, /It exports: .*add, /)
    }
  })
})
