// Each built-in function that a worker needs is looked at: one that is replaced by nothing is found, and one that works is let be.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BUILT_INS, findBroken } from '../../../../build/runtime/worker/watch-built-ins.js'

const replaced = (holder, key, value, look) => {
  const before = Object.getOwnPropertyDescriptor(holder, key)
  Object.defineProperty(holder, key, { ...before, value })
  try {
    return look()
  } finally {
    Object.defineProperty(holder, key, before)
  }
}

test('each of them is noticed when it is replaced', () => {
  assert.ok(BUILT_INS.length > 50)
  assert.equal(findBroken(), undefined)
  for (const one of BUILT_INS) {
    const { holder, key, name } = one
    const own = Object.hasOwn(holder, key) ? holder : Object.getPrototypeOf(holder)
    const original = own[key]
    const wrap = function (...args) {
      return Reflect.apply(original, this, args)
    }
    Object.assign(wrap, original)
    const wasSeen = replaced(own, key, wrap, () => (findBroken(), one.value === wrap))
    assert.ok(wasSeen, name)
    findBroken() // it is what it was
  }
})

test('what does not work is named, and what works is not', () => {
  const { push } = Array.prototype
  const wrap = function (...items) {
    return push.apply(this, items)
  }
  assert.equal(replaced(Array.prototype, 'push', wrap, findBroken), undefined)
  assert.equal(findBroken(), undefined)
  const found = replaced(Array.prototype, 'push', () => 0, findBroken)
  assert.equal(found, 'Array.prototype.push')
})
