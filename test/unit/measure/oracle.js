// Expected values from other software: scipy and NumPy for the statistics, the C reference of xoshiro128** for the generator.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

export const oracle = JSON.parse(readFileSync(new URL('scipy-oracle.json', import.meta.url), 'utf8'))

/** Fails unless `actual` is within `relative` of `expected`, or within 1e-15 of it. */
export function assertClose(actual, expected, relative, label = '') {
  const allowed = Math.max(1e-15, Math.abs(expected) * relative)
  assert.ok(Math.abs(actual - expected) <= allowed, `${label}: got ${actual}, expected ${expected}`)
}
