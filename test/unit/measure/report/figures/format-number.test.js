// Figures as people read them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  formatBytes,
  formatCount,
  formatCpuLimit,
  formatMs,
  formatPercent,
  formatPlain,
  formatRange,
  formatRate,
  formatRatio,
} from '../../../../../build/measure/report/figures/format-number.js'

test('Rates and counts take a unit that keeps them below a thousand.', () => {
  assert.equal(formatRate(1_300_000), '1.3 M/s')
  assert.equal(formatRate(412.4), '412/s')
  assert.equal(formatCount(12_345), '12.3 k')
  assert.equal(formatCount(0), '0')
})

test('A figure that rounds up to a thousand moves on to the next unit.', () => {
  assert.equal(formatCount(999.9), '1 k')
  assert.equal(formatCount(999_950), '1 M')
  assert.equal(formatMs(999.9), '1 s')
  assert.equal(formatMs(0.9999), '1 ms')
})

test('Times range from nanoseconds to seconds.', () => {
  assert.deepEqual([0.000763, 0.045, 12, 2400, 0].map(formatMs), [
    '763 ns',
    '45 us',
    '12 ms',
    '2.4 s',
    '0 ms',
  ])
})

test('Bytes count in powers of 1024.', () => {
  assert.equal(formatBytes(8_493_466), '8.1 MiB')
  assert.equal(formatBytes(412), '412 B')
  assert.equal(formatBytes(-2048), '-2 KiB')
})

test('Ratios keep two decimals near 1 and two digits far below it.', () => {
  assert.deepEqual([1, 0.985, 12.34, 0.0371, 250].map(formatRatio), ['1.00', '0.98', '12.3', '0.037', '250'])
})

test('A limit is singular only at exactly one CPU.', () => {
  assert.deepEqual([0.6, 1, 2].map(formatCpuLimit), ['0.6 CPU', '1 CPU', '2 CPUs'])
})

test('What is missing or not finite is a dash in every format.', () => {
  const formats = [
    formatRate,
    formatCount,
    formatMs,
    formatBytes,
    formatPercent,
    formatRatio,
    formatCpuLimit,
    formatPlain,
  ]
  for (const format of formats) {
    for (const value of [null, undefined, NaN, Infinity, -Infinity])
      assert.equal(format(value), '-', format.name)
  }
  assert.equal(formatRange(1, null, formatRatio), '-')
  assert.equal(formatRange(1, 2, formatRatio), '1.00 .. 2.00')
})

test('A share that is not zero never reads as zero.', () => {
  assert.equal(formatPercent(0.001), '<0.01 %')
  assert.equal(formatPercent(0), '0 %')
})
