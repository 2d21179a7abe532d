// What registerClass accepts, and what it refuses with a clear error.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isThreadwiseError, registerClass } from 'threadwise'
import * as task from 'threadwise/task'
import { classes } from '../../../../build/runtime/task/register-class.js'

const refused = (call, message) =>
  assert.throws(call, (error) => {
    assert.ok(isThreadwiseError(error))
    assert.equal(error.code, 'TW_ERR_INVALID_OPTION')
    assert.match(error.message, message)
    return true
  })

test('a class is known by its name, or by the one that is given', () => {
  class Known {}
  class Renamed {}
  registerClass(Known)
  task.registerClass(Renamed, { name: 'unit/Renamed' })
  assert.equal(classes.byName.get('Known').prototype, Known.prototype)
  assert.equal(classes.byPrototype.get(Renamed.prototype).name, 'unit/Renamed')
  assert.equal(classes.count, classes.byName.size)
})

test('the same class may be registered again, and its last options count', () => {
  class Again {}
  registerClass(Again)
  registerClass(Again)
  const { count } = classes
  registerClass(Again, { toData: () => 1, fromData: () => new Again() })
  assert.equal(classes.count, count)
  assert.equal(classes.byName.get('Again').toData(), 1)
  refused(
    () => registerClass(Again, { name: 'Other' }),
    /name must be "Again", as this class was registered before/,
  )
})

test('another class under the same name is refused', () => {
  const first = class Twin {}
  const second = class Twin {}
  registerClass(first)
  refused(() => registerClass(second), /no other registered class has.*got "Twin"/)
  registerClass(second, { name: 'Twin 2' })
})

test('what is no class is refused', () => {
  for (const value of [undefined, null, 5, 'Point', {}, () => {}, Object, { name: 'x', prototype: {} }])
    refused(() => registerClass(value), /first argument of registerClass\(\) must be a class of yours/)
  refused(() => registerClass(class {}), /name must be a non-empty string/)
  for (const options of [null, 5, 'x']) refused(() => registerClass(class A {}, options), /second argument/)
  for (const name of ['', 5, null]) refused(() => registerClass(class A {}, { name }), /name must be/)
})

test('toData and fromData are functions, and come together', () => {
  refused(() => registerClass(class Half {}, { toData: () => 1 }), /given together for class Half/)
  refused(() => registerClass(class Half {}, { fromData: () => 1 }), /given together for class Half/)
  refused(() => registerClass(class Half {}, { toData: 1, fromData: 2 }), /toData must be a function/)
})

test('a class whose content is not in its fields needs them', () => {
  const below = [class M extends Map {}, class L extends Array {}, class D extends Date {}, class U extends Uint8Array {}, class D2 extends (class D extends Date {}) {}] // prettier-ignore
  for (const Class of [...below, Map, Buffer])
    refused(() => registerClass(Class, { name: `${Class.name} of fields` }), /what .* holds is not in fields/)
  assert.equal(classes.byName.has('M of fields'), false)
  registerClass(below[0], {
    name: 'a map',
    toData: (map) => [...map],
    fromData: (list) => new below[0](list),
  })
})
