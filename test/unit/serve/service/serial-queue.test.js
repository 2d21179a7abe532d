// Changes of a service run one after the other.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SerialQueue } from '../../../../build/serve/service/serial-queue.js'

test('a change begins when the one before it has ended, also if that failed', async () => {
  const queue = new SerialQueue(() => {})
  const order = []
  const change = (name, error) => async () => {
    order.push(`${name} begins`)
    await new Promise(setImmediate)
    order.push(`${name} ends`)
    if (error) throw error
    return name
  }
  const results = [queue.run(change('a', new Error('no'))), queue.run(change('b')), queue.run(change('c'))]
  await assert.rejects(results[0], { message: 'no' })
  assert.deepEqual(await Promise.all(results.slice(1)), ['b', 'c'])
  assert.deepEqual(order, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

test('one that waits does not begin after the end', async () => {
  let isOpen = true
  let begun = 0
  const queue = new SerialQueue(() => {
    if (!isOpen) throw new Error('stopped')
  })
  const first = queue.run(async () => void (isOpen = false))
  const second = queue.run(async () => void begun++)
  await first
  await assert.rejects(second, { message: 'stopped' })
  assert.equal(begun, 0)
})
