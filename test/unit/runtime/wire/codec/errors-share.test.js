// Errors share objects with the rest of a value, and what of them cannot travel hides nothing: by every way that values have.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BY_PIPE, carry, copyValue, receive } from '../../../../../build/runtime/wire/codec/packet.js'
import { NotSendable } from '../../../../../build/runtime/wire/codec/not-sendable.js'
import { asThrown } from '../../../../../build/runtime/wire/thrown.js'
import { Pruned as WebPruned } from '../../../../../build/runtime/web/shims/prune.js'
import { copyValue as webCopyValue } from '../../../../../build/runtime/web/shims/packet.js'
import { createRandom } from '../../../../../build/measure/stats/random.js'

const ways = {
  'by message': { send: copyValue, thrown: asThrown },
  'by pipe': { send: (value) => receive(carry(value, { carrier: BY_PIPE }).carried), thrown: asThrown },
  'in a page': { send: webCopyValue, thrown: WebPruned.of },
}

for (const [way, { send, thrown }] of Object.entries(ways))
  describe(`sent ${way}`, () => {
    for (let seed = 1; seed <= 8; seed++)
      test(`random graphs of objects and errors keep who is who (seed ${seed})`, () => {
        const next = randomGraphs(seed)
        for (let i = 0; i < 60; i++) {
          const value = next()
          assert.deepEqual(outline(send(value)), outline(value), `value ${i}`)
        }
      })

    test('a part that cannot travel becomes text within errors', () => {
      const row = { id: 1, save() {}, inner: { deep: Symbol('s') } }
      const [error] = send([Object.assign(new Error('x'), { row, again: row, list: [row, 2] })])
      assert.equal(error.row, error.again)
      assert.equal(error.list[0], error.row)
      assert.match(error.row.save, /save/)
      assert.match(error.row.inner.deep, /Symbol\(s\)/)
    })

    test('and is refused outside of them, also where an error holds the same object', () => {
      const row = { id: 1, inner: { save() {} } }
      const error = Object.assign(new Error('x'), { row })
      for (const [value, path] of [
        [[row, error], '[0].inner.save'],
        [[error, row], '[1].inner.save'],
        [[error, { a: row.inner }], '[1].a.save'],
        [{ error, map: new Map([['k', row]]) }, '.map[0].inner.save'],
      ])
        assert.throws(
          () => send(value),
          (problem) => problem instanceof NotSendable && problem.path === path,
        )
    })

    test('what is whole may stand on both sides of an error that is not', () => {
      const row = { id: 1 }
      row.self = row
      const error = Object.assign(new Error('x'), { row, save() {} })
      const [first, copy, last] = send([{ row }, error, row])
      assert.equal(first.row, last)
      assert.equal(copy.row, last)
      assert.equal(last.self, last)
      const [before, after] = send([error, row])
      assert.equal(before.row, after)
      assert.equal(after.self, after)
    })

    test('what fails halfway leaves nothing behind: texts, shapes and numbers of objects go on as if it had not begun', () => {
      const shared = { shared: true }
      const half = () => new Proxy({}, { ownKeys: () => ['a'], getOwnPropertyDescriptor() { throw new Error('no') } }) // prettier-ignore
      const halfMap = new Map([
        [{ newShape: 'text', of: shared }, half()],
        ['x', () => {}],
      ])
      const socket = { on() {}, emit() {}, removeListener() {}, __proto__: { x: 1 } }
      const error = Object.assign(new Error('x'), { halfMap, socket, half: half(), shared, ж: ['ж', shared], late: { newShape: 'again', of: shared } }) // prettier-ignore
      const [copy, end] = send([error, shared])
      assert.equal(copy.shared, end)
      assert.equal(copy.ж[1], end)
      assert.equal(copy.late.of, end)
      assert.equal(copy.late.newShape, 'again')
      assert.equal([...copy.halfMap.keys()][0].of, end)
      assert.equal(typeof copy.socket, 'string')
      assert.equal(typeof copy.half, 'string')
    })

    test('many errors in each other, and objects behind the last of them', () => {
      const row = { id: 1 }
      let error = new Error('innermost')
      for (let i = 0; i < 150; i++) error = Object.assign(new Error(`${i}`), { error, row, more: { i } })
      const [copy, end] = send([error, row])
      assert.equal(copy.row, end)
      assert.equal(copy.error.error.row, end)
    })

    test('anything that is thrown is pruned in the same way', () => {
      const row = { id: 1 }
      const copy = send(
        thrown({ row, again: [row], call() {}, error: Object.assign(new Error('x'), { row }) }),
      )
      assert.equal(copy.again[0], copy.row)
      assert.equal(copy.error.row, copy.row)
      assert.equal(typeof copy.call, 'string')
    })

    test('an error is read once', () => {
      const reads = {}
      const counted = (object, key, value) =>
        Object.defineProperty(object, key, {
          enumerable: true,
          get: () => ((reads[key] = (reads[key] ?? 0) + 1), value),
        })
      const error = new Error('x')
      assert.match(error.stack, /x/) // which V8 makes now, of its name and message
      for (const key of ['name', 'message', 'stack', 'cause', 'field']) counted(error, key, `its ${key}`)
      counted((error.inner = {}), 'deep', 1)
      const copy = send({ error })
      assert.deepEqual(reads, { name: 1, message: 1, stack: 1, cause: 1, field: 1, deep: 1 })
      assert.equal(copy.error.field, 'its field')
    })
  })

/** Everything of a graph that can be seen: kinds, fields, and what is one object. */
function outline(value) {
  const seen = new Map()
  const walk = (part) => {
    if (typeof part !== 'object' || part === null) return part
    if (seen.has(part)) return `same as ${seen.get(part)}`
    seen.set(part, seen.size)
    if (part instanceof Map) return ['map', [...part].map(([key, item]) => [walk(key), walk(item)])]
    if (part instanceof Set) return ['set', [...part].map(walk)]
    if (Array.isArray(part)) return part.map(walk)
    const keys = [...Object.keys(part), ...(part instanceof Error ? ['cause', 'errors'] : [])]
    const fields = keys.filter((key, i) => key in part && keys.indexOf(key) === i).sort()
    return [
      part instanceof Error ? [part.constructor.name, part.message] : 'object',
      fields.map((key) => [key, walk(part[key])]),
    ]
  }
  return walk(value)
}

function randomGraphs(seed) {
  const random = createRandom(seed)
  const below = (n) => Math.floor(random() * n)
  return () => {
    const nodes = Array.from({ length: 2 + below(30) }, (_, i) => {
      const kind = below(8)
      if (kind === 0) return new Map()
      if (kind === 1) return new Set()
      if (kind === 2) return []
      if (kind === 3) return new AggregateError([], `all ${i}`)
      if (kind < 6) return new [Error, TypeError, RangeError][below(3)](`error ${i}`)
      return { i, text: below(2) ? 'plain'.repeat(below(60)) : `ж${i}` }
    })
    for (let left = below(80); left > 0; left--) {
      const [from, to] = [nodes[below(nodes.length)], nodes[below(nodes.length)]]
      if (from instanceof Map) from.set(below(2) ? to : `k${left}`, to)
      else if (from instanceof Set) from.add(to)
      else if (Array.isArray(from)) from.push(to)
      else if (from instanceof AggregateError) from.errors.push(to)
      else if (from instanceof Error && below(3) === 0)
        Object.defineProperty(from, 'cause', { value: to, configurable: true, writable: true }) // prettier-ignore
      else from[`f${below(5)}`] = to
    }
    return nodes
  }
}
