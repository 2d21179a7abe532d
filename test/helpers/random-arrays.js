// Typed arrays of random numbers, for what sorts them.
import assert from 'node:assert/strict'

const ODD = [NaN, -0, 0, Infinity, -Infinity, 1]

function randomValue(Type, odd = 0.1) {
  if (Type.name.startsWith('Big')) return BigInt(Math.floor((Math.random() - (Type === BigInt64Array ? 0.5 : 0)) * 1e15)) // prettier-ignore
  if (Math.random() < odd) return ODD[Math.floor(Math.random() * ODD.length)]
  return (Math.random() - 0.5) * 1e6
}

/** `odd`: the share of NaN, zeros and infinities. */
export function randomArray(Type, length, isShared, odd) {
  const bytes = Type.BYTES_PER_ELEMENT * (length + 1)
  // Not from the start of its buffer: parts must be taken from the view.
  const array = new Type(isShared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes), Type.BYTES_PER_ELEMENT) // prettier-ignore
  for (let i = 0; i < length; i++) array[i] = randomValue(Type, odd)
  return array
}

/** deepEqual would take 5 s for large arrays. */
export function assertSameArray(actual, expected, what) {
  assert.equal(actual.length, expected.length)
  for (let i = 0; i < expected.length; i++)
    if (!Object.is(actual[i], expected[i])) assert.fail(`${what}: at ${i} ${actual[i]}, not ${expected[i]}`)
}
