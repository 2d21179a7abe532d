import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteTexts, refusedTexts, trialRows } from '../../../../build/measure/report/figures/trial-figures.js'
import { toHtml } from '../../../../build/measure/report/markup/markup.js'
import { trialSection } from '../../../../build/measure/report/sections/doctor-section.js'

const figures = (p99, throughput) => ({
  ...{ throughput, busy: 0.5, delayMs: { p50: 1, p99 }, cpuMs: 3, memoryBytes: 2 ** 20 },
  paths: [{ path: '/a', p50: 2, p99 }],
})
const note = { text: '`count` is used before', file: 'server.js', line: 8 }
const trial = {
  ...{ sentence: 'Move <render> to 2 threads.', patch: '+await <b>', patchFile: 'threadwise.patch' },
  functions: [{ name: 'render', file: 'a.js', line: 1, notes: [note] }, { name: 'b', file: 'a.js', line: 2, notes: [note] }], // prettier-ignore
  refused: [{ name: 'page', file: 'server.js', line: 5, reason: 'a getter' }],
  ...{ before: figures(40, 100), after: figures(4, 200) },
  ratios: [
    { path: '/a', metric: 'p99', ratio: { value: 0.1, low: 0.08, high: 0.13 }, verdict: 'faster' },
    { path: null, metric: 'throughput', ratio: { value: 2, low: 1.8, high: 2.2 }, verdict: 'faster' },
  ],
  responses: { compared: 10, equal: 10, masked: 0 },
}

test('before and after stand side by side, with ratio and verdict where they are known', () => {
  const rows = trialRows(trial)
  const of = (what) => rows.find(([name]) => name === what)
  assert.match(
    of('/a p99').join(' | '),
    /^\/a p99 \| 40 ms \| 4 ms \| 0\.10 \(0\.0?8\d* to 0\.13\) \| faster$/,
  )
  assert.equal(of('requests answered at full load').at(-1), 'better')
  assert.deepEqual(of('/a p50').slice(3), ['', ''])
})

test('a note of two functions is told once, and a refusal with its place', () => {
  assert.deepEqual(noteTexts(trial), ['server.js:8: `count` is used before'])
  assert.deepEqual(refusedTexts(trial), ['page (server.js:5): a getter'])
})

test('the page shows the patch, and nothing of the user as markup', () => {
  const html = toHtml(trialSection(trial))
  assert.ok(html.includes('+await &lt;b&gt;'), html)
  assert.ok(html.includes('Move &lt;render&gt;'))
})
