// JSON as the source of truth: valid, stable, and readable.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toJson } from '../../../../../build/measure/report/figures/json.js'

test('NaN and Infinity become null at any depth.', () => {
  const text = toJson({ a: NaN, b: [Infinity, -Infinity, 1], c: { d: NaN } })
  assert.deepEqual(JSON.parse(text), { a: null, b: [null, null, 1], c: { d: null } })
})

test('Keys stay in the order given, with two spaces and a newline at the end.', () => {
  assert.equal(
    toJson({ version: 1, a: { z: 1, b: 2 } }),
    '{\n  "version": 1,\n  "a": {\n    "z": 1,\n    "b": 2\n  }\n}\n',
  )
})

test('A value that JSON cannot say is still valid JSON.', () => {
  assert.equal(toJson(undefined), 'null\n')
  assert.equal(toJson({ n: 5n }), '{\n  "n": 5\n}\n')
})
