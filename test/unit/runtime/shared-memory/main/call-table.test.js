// The calls that are under way, by the number that travels with them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallTable } from '../../../../../build/runtime/shared-memory/main/call-table.js'

const task = (name) => ({ name, id: -1 })
function add(table, name) {
  const added = task(name)
  table.set(table.nextId(), added)
  return added
}

test('a call is found by its id until it is removed', () => {
  const table = new CallTable()
  const [a, b] = [add(table, 'a'), add(table, 'b')]
  assert.notEqual(a.id, b.id)
  assert.equal(table.get(a.id), a)
  assert.deepEqual([...table.all()], [a, b])
  const { id } = a
  table.remove(a)
  table.remove(a)
  assert.equal(a.id, -1)
  assert.equal(table.get(id), undefined)
  assert.equal(table.open, 1)
})

test('a late reply does not meet the call that took the place', () => {
  const table = new CallTable()
  const ids = new Set()
  for (let i = 0; i < 2000; i++) {
    const call = add(table, 'a')
    assert.ok(call.id >= 0 && !ids.has(call.id), `id ${call.id} was used before`)
    ids.add(call.id)
    const { id } = call
    table.remove(call)
    assert.equal(table.get(id), undefined)
  }
})

test('an id that was asked for and not taken is given again', () => {
  const table = new CallTable()
  assert.equal(table.nextId(), table.nextId())
})

test('ids stay positive over all generations', () => {
  const table = new CallTable()
  for (let i = 0; i < 5000; i++) {
    const call = add(table, 'a')
    assert.ok(call.id >= 0 && call.id < 2 ** 31)
    table.remove(call)
  }
})

test('an id that was never given names no call', () => {
  assert.equal(new CallTable().get(-1), undefined)
  assert.equal(new CallTable().get(5), undefined)
})
