// The terminal report, for every kind of result.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { textWidth } from '../../../../../build/measure/report/terminal/plain-text.js'
import { formatLab, formatResult } from '../../../../../build/measure/report/terminal/terminal.js'

const folder = new URL('../../../../fixtures/results/', import.meta.url)
const names = readdirSync(folder).map((file) => file.replace('.json', ''))
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
const format = (result, options) =>
  (result.lab ? formatLab : formatResult)(result, { color: false, width: 80, ...options })
const nameOf = ({ executor, size }) => (executor === 'inline' ? 'inline' : `${executor} ${size}`)

for (const name of names) {
  test(`No line of ${name} is wider than the terminal.`, () => {
    for (const width of [40, 60, 80, 100, 120, 200]) {
      for (const color of [false, true]) {
        for (const line of format(read(name), { width, color }).split('\n')) {
          assert.ok(textWidth(line) <= width, `${width}: ${stripVTControlCharacters(line)}`)
        }
      }
    }
  })

  test(`Colours change nothing but colours in ${name}.`, () => {
    const coloured = format(read(name), { color: true })
    assert.ok(coloured.includes('\u001b[1m'))
    assert.equal(stripVTControlCharacters(coloured), format(read(name)))
  })

  test(`${name} without colour has no control characters, and no figure that is not one.`, () => {
    const text = format(read(name), { width: 200 })
    assert.doesNotMatch(text, /[^\P{Cc}\n]/u)
    assert.doesNotMatch(text, /NaN|Infinity|undefined|\bnull\b|\[object/)
  })
}

test('A width that is no number counts as 40.', () => {
  for (const width of [0, NaN, 10])
    assert.equal(format(read('cpu-bound'), { width }), format(read('cpu-bound'), { width: 40 }))
})

test('The verdict comes first, and once more after the command.', () => {
  const result = read('cpu-bound')
  const text = format(result, { width: 200 })
  assert.ok(text.startsWith(`0.6 CPU: ${result.advice[0].sentence}\n`))
  const sentences = result.advice.map(({ sentence }) => sentence)
  const last = text.split(`Repeat this run\n${result.settings.command}\n`)[1]
  assert.ok(sentences.every((sentence) => last.includes(sentence)))
  const order = [
    'renderLove: one inline call',
    'Why',
    'Not measured',
    'Predicted, not measured',
    'machine: quiet',
    'Repeat',
  ]
  const places = order.map((part) => text.indexOf(`\n${part}`))
  assert.deepEqual(
    [...places].sort((a, b) => a - b),
    places,
  )
  assert.ok(!places.includes(-1))
})

test('Every cell has a row, also in a narrow terminal.', () => {
  for (const name of ['cpu-bound', 'two-variants', 'failed-cells']) {
    const result = read(name)
    for (const width of [50, 80, 120]) {
      const rows = format(result, { width })
        .split('\n')
        .filter((line) => /^[> ] (inline|concurrent|threads|processes)/.test(line))
      assert.equal(rows.length, result.cells.length)
      result.cells.forEach((cell) => assert.ok(rows.some((row) => row.slice(2).startsWith(nameOf(cell)))))
    }
  }
})

test('What there is no room for is named.', () => {
  const text = format(read('two-variants'), { width: 80 }).replaceAll(/\n +/g, ' ')
  assert.match(
    text,
    /not shown for want of room: latency p50, memory\/worker, .*; --html and --json have all/,
  )
  assert.doesNotMatch(format(read('two-variants'), { width: 200 }), /want of room/)
})

test('A row shows the ratio with its interval, the verdict and the loop delay at 80 columns.', () => {
  const row = format(read('cpu-bound'))
    .split('\n')
    .find((line) => line.startsWith('> threads 2'))
  assert.match(row, /^> threads 2 +778 +1\.87 +1\.83 \.\. 1\.91 +faster +15\.4 ms +1\.2 ms$/)
})

test('A wide terminal also shows memory, CPU per call and throttling.', () => {
  const head = format(read('cpu-bound'), { width: 120 })
  for (const word of ['memory', 'CPU', 'throt-', 'p50']) assert.ok(head.includes(word))
  assert.match(head, /> inline .* 42\.6 %/)
})

test('A failed cell says why, in place of figures.', () => {
  const text = format(read('failed-cells'), { width: 120 })
  assert.match(text, /concurrent 1024 +failed: EMFILE: too many open files/)
  assert.match(text, /processes 64 +failed: spawn EAGAIN/)
})

test('Calls that threw are counted, with the first message on one line.', () => {
  assert.match(
    format(read('failed-cells'), { width: 200 }),
    /3\.12 % of the calls threw; the first: RangeError: Invalid array length at readMany/,
  )
})

test('"Cannot tell" is an answer like any other, and the machine says why.', () => {
  const text = format(read('noisy-machine'))
  assert.equal(text.match(/cannot tell/g).length, 8)
  assert.match(text, /machine: unusable \(other processes 3\.4 CPUs, /)
  assert.match(text, /- Other processes used 3\.4 CPUs/)
})

test('What could not be measured is a dash with an explanation.', () => {
  const text = format(read('failed-cells'), { width: 100 })
  assert.match(text, /inline +71 .* - +2\.2 ms/)
  assert.match(text, /- n too small/)
})

test('Predictions carry their label, and there is no such part without them.', () => {
  const text = format(read('cpu-bound'))
  assert.match(text, /threads 4 .*2\.91 \.\. 3\.75 +extrapolated/)
  assert.match(text, /threads 8 .* guess/)
  assert.ok(!format(read('noisy-machine')).includes('Predicted'))
})

test('An interrupted run without any verdict says both.', () => {
  const text = format(read('interrupted'))
  assert.match(
    text,
    /^No verdict: there is nothing to compare\.\nThe run ended before everything was measured/,
  )
})

test('A finding that holds for several limits stands there once.', () => {
  const text = format(read('cpu-bound'), { width: 200 })
  assert.equal(text.match(/handing out work/g).length, 1)
  assert.match(text, /- 1 CPU and 2 CPUs: The main thread/)
})

test('A lab prints question, answer, tables, heat map and what is predicted.', () => {
  const text = format(read('lab-matrix'))
  assert.match(text, /^matrix: How many threads/)
  assert.match(text, /\n\nAs many threads as CPUs/)
  assert.match(text, /threads 2 +778 +1\.87/)
  assert.match(text, /\n8 +223 +374 +756 +~1526 +~3082\n/)
  assert.match(text, /~ predicted, not measured/)
  assert.match(text, /threads 64 on 2 CPUs: failed: ERR_WORKER_OUT_OF_MEMORY/)
  assert.match(text, /twice the memory buys nothing more: see the map below/)
})
