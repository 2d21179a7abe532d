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

  test('tells once for each 16 MB', () => {
    let told = 0
    const copy = countCopies(copyOf, () => told++)
    const after = Array.from({ length: 12 }, () => (copy(4), told))
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
  test('rests for twice the time that a collection took', () => {
    let time = 100
    let collections = 0
    const find = () => (options) => {
      assert.deepEqual(options, { type: 'minor' })
      collections++
      time += 5
    }
    const collect = createCopyCollector(() => time, find)
    collect() // until 105
    assert.equal(collections, 1)
    time = 114
    collect()
    assert.equal(collections, 1)
    time = 115
    collect()
    assert.equal(collections, 2)
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
