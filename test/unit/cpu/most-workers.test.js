import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostWorkers, workersInMemory } from '../../../build/cpu/most-workers.js'

const GIB = 1024 ** 3

test('a small machine holds as many workers as its memory does, and says so', () => {
  assert.deepEqual(mostWorkers('process', GIB), { count: 32, text: '32 (1024 MB of memory hold no more processes)' }) // prettier-ignore
  assert.equal(mostWorkers('thread', GIB).text, '128 (1024 MB of memory hold no more threads)')
})

test('none holds more than 1024, or fewer than one', () => {
  assert.deepEqual(mostWorkers('thread', 1024 * GIB), { count: 1024, text: '1024' })
  assert.equal(mostWorkers('process', 1).count, 1)
})

test('a container gets no more workers by itself than its memory holds, and at least one', () => {
  const machine = 64 * GIB
  const inMiB = (limit, used) => ({ limit: limit * 1024 ** 2, machine, used: used * 1024 ** 2 })
  assert.equal(workersInMemory('thread', inMiB(512, 80)), 10) // (409.6 - 80) / 32
  assert.equal(workersInMemory('process', inMiB(512, 80)), 5)
  assert.equal(workersInMemory('process', inMiB(64, 80)), 1)
  assert.equal(workersInMemory('process', { limit: machine, machine, used: 0 }), Infinity)
})

test('this one holds some', () => assert.ok(mostWorkers('thread').count >= mostWorkers('process').count))
