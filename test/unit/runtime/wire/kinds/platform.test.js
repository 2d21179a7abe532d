// Objects of the platform are known by what they are: whatever the globals of a program are, and whatever something calls itself.
import assert from 'node:assert/strict'
import { createSecretKey } from 'node:crypto'
import { TransformStream, WritableStream } from 'node:stream/web'
import { describe, test } from 'node:test'
import vm from 'node:vm'
import { MessageChannel } from 'node:worker_threads'
import { marked, move } from '../../../../../build/runtime/task/move.js'
import { baseOf, isError } from '../../../../../build/runtime/wire/kinds/error-classes.js'
import { isPlain, platformObjectOf } from '../../../../../build/runtime/wire/kinds/platform.js'
import { copyValue } from '../../../../../build/runtime/wire/codec/packet.js'
import { knownNameOf } from '../../../../../build/runtime/web/shims/platform.js'
import { copyValue as webCopyValue } from '../../../../../build/runtime/web/shims/packet.js'

const kindOf = (value) => platformObjectOf(value)?.kind

test('each kind is known by its own objects', () => {
  const { port1, port2 } = new MessageChannel()
  const all = {
    text: [new URL('a:b'), new URLSearchParams('a=b'), new (class extends URL {})('a:b')],
    items: [new Headers(), new FormData()],
    file: [new File(['a'], 'b')],
    beside: [new Blob(['a']), createSecretKey(Buffer.from('k'))],
    moved: [port1, new ReadableStream(), new WritableStream(), new TransformStream()],
    refused: [Promise.resolve(), new WeakMap(), new WeakRef({}), (function* () {})()],
  }
  for (const [kind, values] of Object.entries(all))
    for (const value of values) assert.equal(kindOf(value), kind)
  port1.close()
  port2.close()
})

test('a program may have other globals, or none: what Node has made is still known', (t) => {
  const made = { URL: new URL('a:b'), URLSearchParams: new URLSearchParams(), Blob: new Blob(['a']), File: new File(['a'], 'b'), ReadableStream: new ReadableStream() } // prettier-ignore
  const kinds = Object.values(made).map(kindOf)
  const names = [...Object.keys(made), 'MessagePort']
  const own = names.map((name) => Object.getOwnPropertyDescriptor(globalThis, name))
  t.after(() => names.forEach((name, i) => Object.defineProperty(globalThis, name, own[i])))
  for (const value of [class {}, undefined, {}, null]) {
    for (const name of names) Object.defineProperty(globalThis, name, { value, configurable: true })
    assert.deepEqual(Object.values(made).map(kindOf), kinds)
  }
})

test('objects of another realm, with or without a class, are what they are there', () => {
  const run = (code) => vm.runInNewContext(code)
  for (const code of ['({ a: 1 })', 'new (class A { a = 1 })()', '({})'])
    assert.equal(kindOf(run(code)), undefined)
  assert.ok(isPlain(run('({})')))
  assert.ok(!isPlain(run('new (class hasOwnProperty {})()')))
  for (const code of ['Promise.resolve()', 'new WeakSet()', 'new WeakRef({})', 'new (class { #a })()'])
    assert.equal(kindOf(run(code)), 'refused')
})

describe('errors', () => {
  const own = (code) => new Function(`return ${code}`)()
  for (const [where, run] of Object.entries({
    'this realm': own,
    'another realm': (code) => vm.runInNewContext(code),
  }))
    test(`of ${where} are known by their class`, () => {
      for (const [code, base] of [
        ['new RangeError()', 'RangeError'],
        ['new (class TypeError extends SyntaxError {})()', 'SyntaxError'],
        ['Object.assign(new Error(), { name: "TypeError" })', 'Error'],
        ['Object.create(Object.create(URIError.prototype))', 'URIError'],
        ['Object.setPrototypeOf(new TypeError(), null)', 'Error'],
        ['new (class extends AggregateError {})([])', 'AggregateError'],
      ]) {
        const error = run(code)
        assert.ok(isError(error), code)
        assert.equal(baseOf(error), base, code)
      }
      for (const code of [
        '({ name: "Error", message: "m", stack: "s" })',
        'new (class Error { message = "m" })()',
        '({ [Symbol.toStringTag]: "Error" })',
        'new (class DOMException { code = 1 })()',
      ])
        assert.ok(!isError(run(code)), code)
    })
})

test('what a page knows of an object does not rest on its name either', () => {
  class Tagged {
    n = 1
    get [Symbol.toStringTag]() {
      return 'Map'
    }
  }
  for (const value of [
    new Map(),
    new Set(),
    new Date(),
    /a/,
    new ArrayBuffer(1),
    new URL('a:b'),
    new Headers(),
  ])
    assert.equal(knownNameOf(value), value.constructor.name)
  assert.equal(knownNameOf(new Tagged()), undefined)
  assert.deepEqual(webCopyValue(new Tagged()), { n: 1 })
  for (const name of ['Blob', 'File', 'Map', 'URL', 'Headers', 'ImageData', 'MessagePort', 'Histogram']) {
    const Named = { [name]: class { #held = 1; get held() { return this.#held } } }[name] // prettier-ignore
    assert.throws(() => webCopyValue({ a: new Named() }), /register its class/)
    assert.deepEqual(webCopyValue({ a: Object.assign(new Named(), { field: 1 }) }), { a: { field: 1 } })
  }
})

test('no getter is called to find out whether something emits events, nor twice for a field', () => {
  for (const send of [copyValue, webCopyValue]) {
    const calls = []
    class Lamp {
      get on() {
        calls.push('on')
        return true
      }
      get emit() {
        throw new Error('not now')
      }
    }
    const lamp = Object.defineProperty(new Lamp(), 'removeListener', {
      enumerable: true,
      get: () => calls.push('field'),
    })
    assert.deepEqual(send(lamp), { removeListener: 1 })
    assert.deepEqual(calls, ['field'])
  }
})

test('move() marks what can be moved, and nothing that has the name of it', () => {
  class ReadableStream2 {
    n = [new ArrayBuffer(8)]
    get [Symbol.toStringTag]() {
      return 'ReadableStream'
    }
  }
  const look = move(new ReadableStream2())
  const [buffer] = look.n
  assert.equal(copyValue(look, undefined, marked()).n[0].byteLength, 8)
  assert.equal(buffer.byteLength, 0, 'what it holds was moved')
})
