// Copies of values with large buffers: the same as structured clones, and apart from the original; and what is left alone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { copyBuffers } from '../../../../build/runtime/threads/copy-buffers.js'
import { assertSameClone } from '../../../helpers/same-clone.js'

const LARGE = 128 * 1024
const filled = (length = LARGE) => Uint8Array.from({ length }, (_, i) => i % 251)

/** As a message that moves the copies brings it. */
function travel(value) {
  const copied = copyBuffers(value)
  assert.ok(copied, 'it was left alone')
  const arrived = structuredClone(copied.value, { transfer: [...copied.buffers] })
  for (const buffer of copied.buffers) assert.equal(buffer.byteLength, 0, 'it was copied once more')
  return arrived
}

describe('the same as a structured clone', () => {
  const bytes = filled()
  const pixels = {
    data: new Uint8ClampedArray(bytes.slice().buffer),
    width: 256,
    height: 128,
    of: { name: 'x', tags: [] },
  }
  const around = { bytes }
  around.self = around
  const kinds = [
    Int8Array,
    Uint16Array,
    Int32Array,
    Float32Array,
    Float64Array,
    BigInt64Array,
    BigUint64Array,
  ]
  if (typeof Float16Array === 'function') kinds.push(Float16Array)
  const values = {
    'a typed array': bytes,
    'an ArrayBuffer': bytes.slice().buffer,
    'a Buffer': Buffer.from(bytes.slice().buffer),
    'an object around one': pixels,
    'a list of arguments': [pixels, 'png', { quality: 0.5, sizes: [1, 2], last: undefined, big: 1n }],
    'two views of one buffer': [bytes, new Int8Array(bytes.buffer), bytes.buffer],
    'one view twice': { a: bytes, b: { c: bytes } },
    'a circle': around,
    'small ones that are large together': [filled(LARGE / 2), filled(LARGE / 2).buffer],
    'an instance of a class of its own': Object.assign(new (class Mine extends Uint8Array {})(LARGE), {
      x: 1,
    }),
    'a class that shows another buffer': new (class extends Uint8Array { get buffer() { return new ArrayBuffer(LARGE) } })(bytes), // prettier-ignore
    'one with a buffer of its own': Object.defineProperty(filled(), 'buffer', {
      value: new ArrayBuffer(LARGE),
    }),
    'the memory of a WebAssembly': new WebAssembly.Memory({ initial: 2 }).buffer,
    'frozen, and -0': Object.freeze({ bytes, zero: -0 }),
    ...Object.fromEntries(kinds.map((kind) => [kind.name, new kind(filled().buffer)])),
  }
  for (const [name, value] of Object.entries(values)) {
    test(name, () => assertSameClone(travel(value), structuredClone(value)))
  }

  test('a getter is asked once', () => {
    let asked = 0
    const value = { bytes, get next() { return ++asked } } // prettier-ignore
    assert.equal(travel(value).next, 1)
    assert.equal(asked, 1)
  })

  test('the original stays as it was', () => {
    const value = { bytes: filled() }
    const arrived = travel(value)
    arrived.bytes[0] = 99
    assert.deepEqual(value.bytes, filled())
  })
})

describe('left alone', () => {
  const large = filled()
  const gone = filled()
  structuredClone(gone, { transfer: [gone.buffer] })
  const extra = Object.assign([large], { extra: 1 })
  const hole = [large, , 1] // eslint-disable-line no-sparse-arrays
  const oddKey = Object.defineProperty({ large }, '__proto__', { value: 1, enumerable: true })
  const values = {
    primitives: 'x'.repeat(LARGE),
    'small buffers': filled(LARGE - 1),
    'the part of a buffer': large.subarray(1),
    'shared memory': new Uint8Array(new SharedArrayBuffer(LARGE)),
    'a DataView': new DataView(large.buffer),
    'a Map': new Map([[1, large]]),
    'beside something else': [large, new Date()],
    'beside a function': [large, () => {}],
    'beside a symbol': { large, symbol: Symbol('x') },
    'beside a class': [large, new (class Point {})()],
    'beside an empty array': [large, new Uint8Array(0)],
    'an array with a property': extra,
    'an array with a hole': hole,
    'an array with both': Object.assign([, large].slice(0, 1), { large }), // eslint-disable-line no-sparse-arrays
    'a field __proto__': oddKey,
    'many objects': [large, Array.from({ length: 128 }, () => ({}))],
    'more than it looks into, one level deeper': [[large, Array.from({ length: 127 }, () => ({}))]],
    'a Proxy of an object': new Proxy({ large }, {}),
    'a Proxy of an array': new Proxy([large], {}),
    'beside a Proxy': [large, new Proxy({}, {})],
    'beside arguments': [large, (function () { return arguments })(1)], // prettier-ignore
    'a Map that looks plain': [large, Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype)],
    'a Date that looks plain': [large, Object.setPrototypeOf(new Date(), Object.prototype)],
    'an object without prototype': Object.assign(Object.create(null), { large }),
    'a buffer that is gone': gone,
    'a small one that says it is large': new (class extends ArrayBuffer { get byteLength() { return LARGE } })(10), // prettier-ignore
    'a part that says it is all': Object.defineProperty(large.subarray(0, 5), 'byteLength', { value: LARGE }),
    'a getter that throws': { large, get bad() { throw new Error('no') } }, // prettier-ignore
    'a Proxy': [large, new Proxy({}, { getPrototypeOf: () => { throw new Error('no') } })], // prettier-ignore
  }
  if (ArrayBuffer.prototype.resize)
    values['one that can grow'] = new Uint8Array(new ArrayBuffer(LARGE, { maxByteLength: 2 * LARGE }))
  for (const [name, value] of Object.entries(values)) {
    test(name, () => assert.ok(copyBuffers(value) === undefined))
  }
})
