// The codec alone: the table of values, random graphs beside structured clone, and bytes that no writer has made.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import {
  BY_MESSAGE,
  BY_PIPE,
  carry,
  copyValue,
  receive,
} from '../../../../../build/runtime/wire/codec/packet.js'
import * as tags from '../../../../../build/runtime/wire/codec/tags.js'
import { Malformed } from '../../../../../build/runtime/wire/codec/input.js'
import { Output } from '../../../../../build/runtime/wire/codec/output.js'
import { readOther } from '../../../../../build/runtime/wire/codec/read-objects.js'
import { NotSendable } from '../../../../../build/runtime/wire/codec/not-sendable.js'
import { createRandom } from '../../../../../build/measure/stats/random.js'
import { forThreads, kept, refused } from '../../../../fixtures/values/channels.js'
import { copyValue as webCopyValue } from '../../../../../build/runtime/web/shims/packet.js'
import { randomValues } from '../../../../helpers/random-values.js'
import { assertSameClone } from '../../../../helpers/same-clone.js'

/** A page has no Buffer; what stands in its place in the table of a page: web.test.js and contract-in-browser.js. */
const NOT_IN_PAGES = ['Buffer', 'slice of a Buffer, with its own bytes only', 'Buffer of a megabyte']
/** There structured clone says so only in the browser, or they are plain objects. */
const TAKEN_BY_PAGES = [
  'an instance of a class that extends null',
  'a Blob with a field',
  'a key with a field',
]

const byPipe = (value) => receive(carry(value, { carrier: BY_PIPE }).carried)

describe('every value of the table arrives as it was', () => {
  for (const [name, [make, holds]] of Object.entries({ ...kept, ...forThreads }))
    test(`by message: ${name}`, () => {
      const value = make()
      assert.ok(holds(copyValue(value), value))
    })
  for (const [name, [make, holds]] of Object.entries(kept))
    test(`by pipe: ${name}`, () => {
      const value = make()
      assert.ok(holds(byPipe(value), value))
    })
})

describe('every value of the table arrives as it was from the serializer of pages', () => {
  for (const [name, [make, holds]] of Object.entries(kept))
    test(name, { skip: NOT_IN_PAGES.includes(name) && 'pages have none' }, () => {
      const value = make()
      assert.ok(holds(webCopyValue(value), value))
    })
})

describe('what cannot travel is refused, with its place', () => {
  for (const [name, make] of Object.entries(refused))
    test(`from a page: ${name}`, { skip: TAKEN_BY_PAGES.includes(name) && 'Node clones it' }, () =>
      assert.throws(() => webCopyValue(make()), { path: /^\.a\[0\]\.f/ }),
    )

  for (const carrier of [BY_MESSAGE, BY_PIPE])
    for (const [name, make] of Object.entries(refused))
      test(`${carrier.objects ? 'by message' : 'by pipe'}: ${name}`, () => {
        assert.throws(
          () => carry(make(), { carrier }),
          (error) => error instanceof NotSendable && error.path.startsWith('.a[0].f'),
        )
      })
  for (const [name, [make]] of Object.entries(forThreads))
    test(`by pipe: ${name}`, () => assert.throws(() => carry(make(), { carrier: BY_PIPE }), NotSendable))
})

describe('random values come out as structured clone has them', () => {
  for (let seed = 1; seed <= 12; seed++)
    test(`seed ${seed}`, () => {
      const next = randomValues(seed)
      for (let i = 0; i < 100; i++) {
        const value = next()
        if (holdsErrorOrBuffer(value)) continue
        const expected = structuredClone(value)
        for (const send of [copyValue, byPipe, webCopyValue])
          assertSameClone(send(value), expected, `value ${i}`)
      }
    })
})

describe('bytes that no writer has made', () => {
  for (let seed = 1; seed <= 5; seed++)
    test(`give an error of ours or a value, and nothing else (seed ${seed})`, () => {
      const random = createRandom(seed)
      const below = (n) => Math.floor(random() * n)
      const next = randomValues(seed)
      for (let i = 0; i < 50; i++) {
        const { carried } = carry([next(), { id: i, list: [1, 2, 'x'], at: new Date(i) }], {
          carrier: BY_PIPE,
        })
        const good = Array.isArray(carried) ? carried[0] : carried
        for (let round = 0; round < 40; round++) {
          const bytes = Uint8Array.from(good)
          for (let k = 1 + below(4); k > 0; k--) bytes[below(bytes.length)] = below(256)
          const cut = below(4) ? bytes : bytes.slice(0, below(bytes.length))
          try {
            receive(cut)
          } catch (error) {
            assert.ok(error instanceof Malformed, error.stack)
          }
        }
      }
    })

  test('are told from values', () => {
    for (const forged of [
      {},
      [],
      [1],
      [null],
      [null, {}],
      'x',
      'threadwise',
      [{}, {}],
      new Uint8Array(3),
      new Map(),
    ])
      assert.throws(() => receive(forged), /malformed message/)
  })
})

describe('texts and lists at every limit', () => {
  test('of lengths', () => {
    for (const length of [0, 1, 20, 21, 63, 64, 127, 128, 129, 255, 256, 257, 1023, 1025, 8191, 8193, 70_000])
      for (const letter of ['x', 'é', '€', '\ud800']) {
        const text = letter.repeat(length)
        const value = {
          text,
          list: [text, 'tail'],
          more: Array.from({ length: 9 }, (_, i) => `${text.slice(0, 90)}${i}`),
        }
        assert.deepEqual(copyValue(value), value)
        assert.deepEqual(byPipe(value), value)
      }
  })

  test('of counts', () => {
    for (const count of [0, 1, 3, 4, 15, 16, 17, 255, 256, 257, 5000]) {
      const value = Array.from({ length: count }, (_, i) => ({ i, even: i % 2 === 0 }))
      assert.deepEqual(copyValue(value), value)
      const numbers = Array.from({ length: count }, (_, i) => i * 0.5)
      assert.deepEqual(byPipe(numbers), numbers)
    }
  })
})

describe('a view that is moved arrives as its kind, over the whole buffer', () => {
  class Special extends Uint16Array {}
  const kinds = [
    Uint8Array,
    Uint8ClampedArray,
    Float32Array,
    BigInt64Array,
    DataView,
    Buffer,
    Special,
    globalThis.Float16Array,
  ]
  for (const kind of kinds.filter(Boolean))
    for (const wrap of [(view) => view, (view) => ({ view })])
      test(`${kind.name}, ${wrap(0) === 0 ? 'alone' : 'in an object'}`, () => {
        const buffer = new Uint8Array(48).fill(7).buffer
        const view = kind === Buffer ? Buffer.from(buffer, 8, 16) : new kind(buffer, 8, 2)
        const copy = copyValue(wrap(view), undefined, new Set([buffer]))
        const back = copy.view ?? copy
        assert.equal(buffer.byteLength, 0)
        assert.equal(Object.getPrototypeOf(back), (kind === Special ? Uint16Array : kind).prototype)
        assert.deepEqual([back.byteOffset, back.buffer.byteLength], [8, 48])
        assert.equal(back.byteLength, kind === Buffer ? 16 : 2 * (kind.BYTES_PER_ELEMENT ?? 1))
        assert.deepEqual(new Uint8Array(back.buffer), new Uint8Array(48).fill(7))
      })

  test('but not twice', () => {
    const view = new Uint8Array(8)
    copyValue(view, undefined, new Set([view.buffer]))
    assert.throws(() => copyValue(view, undefined, new Set([view.buffer])), /moved before/)
  })
})

test('a getter may send a value itself', () => {
  const value = { get inner() { return copyValue({ deep: [1, 'two'] }) }, after: 'x' } // prettier-ignore
  assert.deepEqual(copyValue(value), { inner: { deep: [1, 'two'] }, after: 'x' })
})

test('somebody may have extended Object.prototype', () => {
  Object.defineProperty(Object.prototype, 'polluted', { value: 1, enumerable: true, configurable: true })
  try {
    const back = copyValue({ a: [1, { b: 2 }] })
    assert.equal(Object.hasOwn(back, 'polluted'), false)
    assert.equal(Object.hasOwn(back.a[1], 'polluted'), false)
  } finally {
    delete Object.prototype.polluted
  }
})

/** Errors and views of buffers are kept better than structured clone keeps them. */
function holdsErrorOrBuffer(value, seen = new Set()) {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false
  seen.add(value)
  if (value instanceof Error || Buffer.isBuffer(value)) return true
  const parts = value instanceof Map ? [...value].flat(1) : value instanceof Set ? [...value] : []
  if (parts.length === 0 && !ArrayBuffer.isView(value))
    for (const key of Object.keys(value))
      if (!Object.getOwnPropertyDescriptor(value, key).get) parts.push(value[key])
  return parts.some((part) => holdsErrorOrBuffer(part, seen))
}

describe('every tag of the format', () => {
  const numbers = Object.entries(tags).filter(
    ([name, value]) => value >= tags.NULL && name !== 'MAX_JOINED_TEXT',
  )
  const format = readFileSync(
    new URL('../../../../../src/runtime/wire/codec/tags.ts', import.meta.url),
    'utf8',
  )

  test('has a number of its own, and is in the drawing of the format', () => {
    assert.equal(new Set(numbers.map(([, value]) => value)).size, numbers.length)
    const plain = ['NULL', 'UNDEFINED', 'TRUE', 'FALSE'] // no bytes follow
    for (const [name] of numbers)
      if (!plain.includes(name)) assert.match(format, new RegExp(`^//.*\\b${name.replace('_TEXT', '(_TEXT)?')}\\b`, 'm'), name) // prettier-ignore
  })

  test('is written for a value of the table, if it is none of the frequent ones', (t) => {
    const written = new Set([tags.BESIDE, tags.BUFFER, tags.BYTES]) // by methods of their own
    for (const method of ['putTag', 'putCount']) {
      const put = Output.prototype[method]
      t.mock.method(Output.prototype, method, function (tag, ...more) {
        written.add(tag)
        return put.call(this, tag, ...more)
      })
    }
    for (const [name, [make]] of Object.entries({ ...kept, ...forThreads }))
      for (const carrier of name in kept ? [BY_MESSAGE, BY_PIPE] : [BY_MESSAGE]) carry(make(), { carrier })
    const names = new Map(numbers.map(([name, value]) => [value, name]))
    assert.deepEqual(readOther.filter(([tag]) => !written.has(tag)).map(([tag]) => names.get(tag)), []) // prettier-ignore
  })

  test('has a reader; a byte that is none is refused', () => {
    const carried = (byte) => {
      const message = Buffer.alloc(tags.HEADER + 32)
      message.writeUInt32LE(message.length, 4)
      message.writeUInt32LE(message.length, 8)
      message[tags.HEADER] = byte
      return message
    }
    const whyNot = (byte) => {
      try {
        receive(carried(byte))
        return ''
      } catch (error) {
        return error.message
      }
    }
    const unknown = whyNot(0xff)
    assert.match(unknown, /unknown/)
    const inLists = ['HOLE', 'HOLES'] // the reader of GAPS takes them
    for (const [name, value] of numbers)
      if (!inLists.includes(name))
        assert.notEqual(whyNot(value), unknown.replaceAll('255', String(value)), name)
  })
})
