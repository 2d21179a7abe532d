// Which advice --save writes down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesToSave } from '../../../../build/cli/measuring/run-measure.js'

const advice = (facts) => ({
  cpus: 2,
  variant: 'a',
  executor: 'threads',
  size: 2,
  verdict: 'faster',
  isSettled: true,
  sentence: 's',
  ...facts,
})
const result = (list, noise = 'quiet') => ({
  advice: list,
  noise: { verdict: noise },
  workload: { variants: { a: 'render', b: 'render', c: 'other' } },
  date: '2026-01-01T00:00:00.000Z',
  machine: { node: 'v20.20.2' },
})
const saved = (...args) =>
  choicesToSave(result(...args)).map(({ task, cpus, executor }) => [task, cpus, executor])

test('advice for each limit and task is saved, also the one to stay inline', () => {
  const list = [
    advice(),
    advice({ cpus: 0.6, executor: 'inline', size: 1, verdict: 'slower' }),
    advice({ variant: 'c' }),
  ]
  assert.deepEqual(saved(list), [
    ['render', 2, 'threads'],
    ['render', 0.6, 'inline'],
    ['other', 2, 'threads'],
  ])
})

test('what is not settled is not saved', () => {
  assert.deepEqual(saved([advice({ isSettled: false })]), [])
  assert.deepEqual(saved([advice()], 'unusable'), [])
})

test('variants of one task are saved once if they agree, and not at all if they do not', () => {
  assert.deepEqual(saved([advice(), advice({ variant: 'b' })]), [['render', 2, 'threads']])
  assert.deepEqual(saved([advice(), advice({ variant: 'b', executor: 'inline', size: 1 })]), [])
})
