// Values of every kind that structured clone accepts, made from a seed.
import { createRandom } from '../../build/measure/stats/random.js'

const texts = [
  '',
  'a',
  'x'.repeat(23),
  'x'.repeat(24),
  'é'.repeat(30),
  '€',
  '\ud800',
  'tail \udc00',
  '😀 pair',
  '\0',
  '__proto__',
]
const numbers = [
  0,
  -0,
  1,
  -1,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 31,
  2 ** 53,
  0.1,
  NaN,
  Infinity,
  -Infinity,
  Number.MIN_VALUE,
]
const bigints = [0n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 2n ** 63n, -(2n ** 200n), 10n ** 50n]
const keys = [
  'a',
  'b',
  'id',
  'name',
  '0',
  '10',
  '__proto__',
  'constructor',
  'ключ',
  'ÿ',
  '',
  'a\u0001b',
  'k'.repeat(300),
  '\ud800',
]
const typed = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array]
const wideTyped = [Float32Array, Float64Array, BigInt64Array, BigUint64Array]

/** @returns a function that makes the next value */
export function randomValues(seed) {
  const random = createRandom(seed)
  const below = (n) => Math.floor(random() * n)
  const pick = (list) => list[below(list.length)]

  const scalars = [
    () => undefined,
    () => null,
    () => random() < 0.5,
    () => pick(numbers),
    () => random() * 1e6,
    () => below(1000) - 500,
    () => pick(texts),
    () => pick(texts) + pick(texts).repeat(below(50)),
    () => pick(bigints),
    () => new Date(pick([0, -1, 8.64e15, 1.7e12])),
  ]
  const containers = [
    (depth) => Array.from({ length: below(6) }, () => value(depth + 1)),
    (depth) => object(depth),
    (depth) => object(depth),
    (depth) => Object.assign(Object.create(null), object(depth)),
    (depth) => Object.freeze(object(depth)),
  ]
  const views = [
    () => new (pick(typed))(Array.from({ length: 1 + below(20) }, () => below(100))),
    () => new (pick(wideTyped))(1 + below(5)),
    () => new Uint8Array(64).subarray(below(8), 16),
    () => new Uint8Array(0),
    () => Uint8Array.from([1, 2, 3]).buffer,
    () => Buffer.from(pick(texts)),
    () => new DataView(new ArrayBuffer(8), 2),
  ]
  const exotic = [
    (depth) => new Map([[value(depth + 1), value(depth + 1)]]),
    (depth) => new Set([value(depth + 1)]),
    () => /x(y)?/giu,
    () => new RangeError(pick(texts)),
    () => Object(pick(['boxed', 5, true, 7n])),
    (depth) => [, value(depth + 1), ,], // eslint-disable-line no-sparse-arrays -- holes are what is tested
    (depth) => Object.assign([1, 2], { extra: value(depth + 1) }),
    (depth) => Object.assign([, 2], { extra: value(depth + 1) }), // eslint-disable-line no-sparse-arrays -- as above
    () => 'a1b2'.match(/(?<letter>[a-z])(\d)/),
    (depth) =>
      new (class Point {
        x = value(depth + 1)
      })(),
    (depth) => {
      const shared = { inner: value(depth + 1) }
      return [shared, { again: shared }]
    },
    () => {
      const circle = { name: 'circle' }
      circle.self = circle
      return circle
    },
    () => {
      const buffer = new ArrayBuffer(16)
      return [new Uint8Array(buffer), new Float64Array(buffer)]
    },
    (depth) => ({ get computed() { return depth } }), // prettier-ignore
    () => Object.defineProperty({ shown: 1 }, 'hidden', { value: 2 }),
    () => ({ [Symbol('s')]: 1, kept: 2 }),
    () => Array.from({ length: 600 }, (_, i) => ({ i })),
    () => 'long '.repeat(20_000),
  ]

  function object(depth) {
    const made = {}
    for (let left = below(6); left > 0; left--) define(made, pick(keys), value(depth + 1))
    return made
  }

  function value(depth = 0) {
    const roll = random()
    if (depth > 4 || roll < 0.45) return pick(scalars)()
    if (roll < 0.8) return pick(containers)(depth)
    if (roll < 0.9) return pick(views)()
    return pick(exotic)(depth)
  }

  return () => value()
}

/** Assigning `__proto__` would change the prototype. */
function define(object, key, value) {
  Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
}
