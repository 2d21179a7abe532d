// Which advice --save writes down.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choicesToSave } from '../../../dist/cli/choices-to-save.js'

const advice = (facts) => ({
  cpus: 2,
  variant: 'a',
  executor: 'threads',
  size: 2,
  verdict: 'faster',
  sentence: 's',
  ...facts,
})
const result = (list, noise = 'quiet', cells = []) => ({
  advice: list,
  cells,
  settings: { worth: 1.2 },
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

test('what could not be told is not saved', () => {
  assert.deepEqual(saved([advice({ verdict: 'cannot-tell', executor: 'inline', size: 1 })]), [])
  assert.deepEqual(saved([advice()], 'unusable'), [])
})

test('inline is saved without a verdict too, if nothing else can be worth it', () => {
  const inline = advice({ verdict: 'cannot-tell', executor: 'inline', size: 1 })
  const cell = (facts) => ({ cpus: 2, variant: 'a', executor: 'threads', rounds: 6, failed: null, ratio: { high: 1.1 }, ...facts }) // prettier-ignore
  const savedWith = (...cells) => saved([inline], 'quiet', cells)
  assert.deepEqual(savedWith(cell(), cell({ executor: 'processes' })), [['render', 2, 'inline']])
  assert.deepEqual(savedWith(cell(), cell({ executor: 'inline', ratio: { high: 5 } })), [['render', 2, 'inline']]) // prettier-ignore
  const others = [
    { ratio: { high: 1.3 } },
    { ratio: { high: Infinity } },
    { ratio: { high: null } },
    { rounds: 5 },
  ]
  for (const other of others) assert.deepEqual(savedWith(cell(), cell(other)), [])
  assert.deepEqual(savedWith(cell({ cpus: 0.6 }), cell({ failed: 'it crashed' })), [])
})

test('variants of one task are saved once if they agree, and not at all if they do not', () => {
  assert.deepEqual(saved([advice(), advice({ variant: 'b' })]), [['render', 2, 'threads']])
  assert.deepEqual(saved([advice(), advice({ variant: 'b', executor: 'inline', size: 1 })]), [])
})
