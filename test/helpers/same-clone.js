// Whether two values are the same structured clone: equal to the last bit, and alike in what is one object and what is two.
import assert from 'node:assert/strict'
import { types } from 'node:util'

export function assertSameClone(actual, expected, message) {
  assert.deepStrictEqual(actual, expected, message)
  assert.deepStrictEqual(outline(actual), outline(expected), message)
}

/** What deepStrictEqual does not look at: identity of parts, order of keys, the buffers below views. */
function outline(value) {
  const seen = new Map()
  const walk = (part) => {
    if (typeof part !== 'object' || part === null) return Object.is(part, -0) ? '-0' : typeof part
    if (seen.has(part)) return `same as ${seen.get(part)}`
    seen.set(part, seen.size)
    const tag = Object.prototype.toString.call(part)
    if (ArrayBuffer.isView(part)) return [tag, part.byteOffset, part.byteLength, walk(part.buffer)]
    if (types.isAnyArrayBuffer(part)) return [tag, part.byteLength]
    if (part instanceof Map) return [tag, [...part].map(walk)]
    if (part instanceof Set) return [tag, [...part].map(walk)]
    return [tag, Object.keys(part), Object.keys(part).map((key) => walk(part[key]))]
  }
  return walk(value)
}
