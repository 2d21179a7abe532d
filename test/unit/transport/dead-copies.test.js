// Copies of large buffers that a program has dropped are freed soon, without changing what the program sees.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { countCopies, createCopyCollector } from '../../../dist/transport/dead-copies.js'
import { askUntil } from '../../helpers/ask-until.js'

const MB = 1024 * 1024
const module = new URL('../../../dist/transport/dead-copies.js', import.meta.url)

describe('the sender', () => {
  const copyOf = (mb) => ({ value: 'copy', buffers: [{ byteLength: mb * MB }] })

  test('tells once for each 8 MB', () => {
    let told = 0
    const copy = countCopies(copyOf, () => told++)
    const after = Array.from({ length: 12 }, () => (copy(2), told))
    assert.deepEqual(after, [0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3])
  })

  test('tells of one large copy too, and gives it as it is', () => {
    let told = 0
    const made = copyOf(40)
    const copy = countCopies(
      () => made,
      () => told++,
    )
    assert.equal(copy('x'), made)
    assert.equal(told, 1)
  })

  test('does not count what is left alone', () => {
    const copy = countCopies(
      () => undefined,
      () => assert.fail('told'),
    )
    for (let i = 0; i < 100; i++) assert.equal(copy('x'), undefined)
  })
})

describe('the receiver', () => {
  /** With a clock that collections move on. collect() gives how many there were. */
  function timed(clock) {
    let count = 0
    const find = () => (options) => {
      assert.deepEqual(options, { type: 'minor' })
      count++
      clock.now += clock.takes
    }
    const run = createCopyCollector(() => clock.now, find)
    return { clock, collect: () => (run(), count) }
  }

  test('does not rest because one collection took long', () => {
    const { collect, clock } = timed({ now: 0, takes: 1 })
    collect()
    clock.now += 10
    clock.takes = 50
    collect()
    clock.now += 2
    assert.equal(collect(), 3)
    clock.now += 99
    assert.equal(collect(), 3, 'a second long one counts')
  })

  test('rests for twice the time that a collection took', () => {
    const { collect, clock } = timed({ takes: 5 })
    clock.now = 100
    assert.equal(collect(), 1) // until 105
    assert.equal(collect(), 2) // until 110
    clock.now = 119
    assert.equal(collect(), 2)
    clock.now = 120
    assert.equal(collect(), 3)
  })

  test('asks V8 three times for its function, and then never again', () => {
    let asked = 0
    const collect = createCopyCollector(
      () => performance.now(),
      () => void asked++,
    )
    for (let i = 0; i < 10; i++) collect()
    assert.equal(asked, 3)
  })

  test('frees what was dropped', async () => {
    const collect = createCopyCollector(() => performance.now())
    const fill = () => Array.from({ length: 24 }, () => new ArrayBuffer(MB)).length
    const before = process.memoryUsage().arrayBuffers
    fill()
    assert.ok(process.memoryUsage().arrayBuffers - before >= 24 * MB, 'V8 frees it by itself')
    collect()
    // V8 frees the memory beside the program.
    await askUntil(
      () => process.memoryUsage().arrayBuffers - before,
      (bytes) => bytes < 4 * MB,
    )
  })

  test('keeps what is in use', () => {
    const collect = createCopyCollector(() => performance.now())
    const kept = Array.from({ length: 8 }, (_, i) => new Uint8Array(MB).fill(i))
    collect()
    assert.ok(kept.every((bytes, i) => bytes.length === MB && bytes.every((byte) => byte === i)))
  })

  test('shows nothing of it to the program', () => {
    createCopyCollector(() => performance.now())()
    assert.equal('gc' in globalThis, false)
    assert.equal(runInContext('typeof gc', createContext()), 'undefined')
  })
})

test('a program that was started with --expose-gc keeps its function', async () => {
  const source = `
    import { createContext, runInContext } from 'node:vm'
    import { createCopyCollector } from ${JSON.stringify(module.href)}
    createCopyCollector(() => performance.now())()
    console.log(typeof gc, runInContext('typeof gc', createContext()))`
  const args = ['--expose-gc', '--input-type=module', '-e', source]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  assert.equal(stdout.trim(), 'function function')
})
