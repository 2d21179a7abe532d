import { test } from 'node:test'
import assert from 'node:assert/strict'
import { assertClose, oracle } from '../oracle.js'
import {
  normalCdf,
  normalQuantile,
  studentCdf,
  studentQuantile,
} from '../../../../build/measure/stats/student-t.js'

test('the normal distribution agrees with scipy', () => {
  for (const [z, p] of oracle.normalCdf) assertClose(normalCdf(z), p, 1e-9, `normalCdf(${z})`)
  for (const [p, z] of oracle.normalQuantile) assertClose(normalQuantile(p), z, 1e-14, `normalQuantile(${p})`)
})

test("Student's t agrees with scipy for odd and even degrees of freedom", () => {
  for (const [t, df, p] of oracle.studentCdf)
    assertClose(studentCdf(t, df), p, 1e-11, `studentCdf(${t}, ${df})`)
  for (const [p, df, t] of oracle.studentQuantile) {
    assertClose(studentQuantile(p, df), t, 1e-11, `studentQuantile(${p}, ${df})`)
  }
})

test('the ends of the distributions are certain', () => {
  assert.equal(normalQuantile(0), -Infinity)
  assert.equal(normalQuantile(1), Infinity)
  assert.equal(normalCdf(-100), 0)
  assert.equal(normalCdf(100), 1)
  assert.equal(studentCdf(-Infinity, 5), 0)
  assert.equal(studentCdf(Infinity, 4), 1)
})

test('what makes no sense is refused', () => {
  assert.throws(() => normalQuantile(1.1), /bug in threadwise/)
  assert.throws(() => studentQuantile(0, 5), /bug in threadwise/)
  assert.throws(() => studentCdf(1, 2.5), /bug in threadwise/)
  assert.throws(() => studentCdf(1, 0), /bug in threadwise/)
})
