// The page, for every kind of result: complete, safe, and alone.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { test } from 'node:test'
import { renderHtml, renderLabHtml } from '../../../../build/measure/report/html.js'

const folder = new URL('../../../fixtures/results/', import.meta.url)
const names = readdirSync(folder).map((file) => file.replace('.json', ''))
const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))
const render = (name) => {
  const result = read(name)
  return result.lab ? renderLabHtml(result) : renderHtml(result)
}
const count = (text, part) => text.split(part).length - 1
const section = (page, title) => page.split(`<h2>${title}</h2>`)[1]?.split('</section>')[0] ?? ''
const voids = new Set(['meta', 'br'])

for (const name of names) {
  test(`The page of ${name} loads nothing, runs nothing and says so to the browser.`, () => {
    const page = render(name)
    assert.match(page, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'/)
    const tags = page.match(/<[a-z][^>]*>/g).map((tag) => tag.replace(/"[^"]*"/g, '""'))
    for (const tag of tags)
      assert.doesNotMatch(tag, /\s(src|href|xlink:href|srcset|action|data|style|on\w+)=/, tag)
    assert.doesNotMatch(page, /<(script|link|img|iframe|object|embed|base|form|a)\b/)
    assert.doesNotMatch(page, /https?:\/\/|@import|url\(/)
  })

  test(`Every tag of ${name} is closed in order.`, () => {
    const open = []
    for (const [, slash, tag, empty] of render(name).matchAll(/<(\/?)([a-z][a-z0-9]*)[^>]*?(\/?)>/g)) {
      if (slash) assert.equal(open.pop(), tag)
      else if (!empty && !voids.has(tag)) open.push(tag)
    }
    assert.deepEqual(open, [])
  })

  test(`The page of ${name} shows no figure that is not one.`, () => {
    const drawn = render(name).replace(/<details>[\s\S]*?<\/details>/g, '')
    assert.doesNotMatch(drawn, /NaN|Infinity|undefined|>null<|\[object/)
  })

  test(`Every figure of ${name} has a name and a caption, and places lie inside the plot.`, () => {
    const page = render(name)
    for (const [, inner] of page.matchAll(/<figure([\s\S]*?<figcaption>[^<]{20})/g))
      assert.match(inner, /aria-label="[^"]{5}/)
    assert.equal(count(page, '<figure'), count(page, '<figcaption>'))
    for (const [, at] of page.matchAll(/ (?:x|x1|x2|width)="(-?[\d.]+)%"/g))
      assert.ok(at >= 0 && at <= 100, at)
  })

  test(`The raw JSON of ${name} is the result itself.`, () => {
    const [, raw] = /<summary>Raw JSON<\/summary><pre[^>]*>([\s\S]*?)<\/pre>/.exec(render(name))
    const entities = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' }
    const text = raw.replace(/&(lt|gt|quot|#39|amp);/g, (_, key) => entities[key])
    const plain = (value) => JSON.parse(JSON.stringify(value).replace(/\u202e/g, '\ufffd'))
    assert.deepEqual(JSON.parse(text), plain(read(name)))
  })
}

test('Names, messages, paths and evidence of the user are escaped everywhere.', () => {
  const page = render('hostile-names')
  for (const word of [
    'variant',
    'error',
    'failed',
    'note',
    'noise',
    'cpu',
    'skipped',
    'unavailable',
    'evidence',
  ]) {
    assert.match(page, new RegExp(`&lt;script&gt;(alert\\(&quot;)?${word}`), word)
  }
  assert.equal(count(page, '</title><img'), 0)
  assert.equal(count(page, '<script'), 0)
  assert.ok(!page.includes('\u001b') && !page.includes('\u202e'))
})

test('The parts come in the order of the questions they answer.', () => {
  const page = render('cpu-bound')
  const order = [
    'What to run',
    'Faster or slower than inline',
    'Under each CPU limit',
    'Throughput and a free event loop',
    'Memory',
  ]
  order.push(
    'Predicted for other CPU counts',
    'Was the machine quiet?',
    'All figures',
    'Machine and settings',
    'Repeat this run',
  )
  const places = order.map((title) => page.indexOf(`>${title}</h`))
  assert.ok(!places.includes(-1))
  assert.deepEqual(
    [...places].sort((a, b) => a - b),
    places,
  )
})

test('Every verdict sentence stands in the head of the page.', () => {
  const result = read('cpu-bound')
  const head = render('cpu-bound').split('<h2>')[0]
  for (const { sentence } of result.advice) assert.ok(head.includes(sentence))
})

test('Every cell appears in the forest plot, the matrix and the table.', () => {
  for (const name of ['cpu-bound', 'two-variants', 'failed-cells', 'noisy-machine', 'interrupted']) {
    const { cells } = read(name)
    const page = render(name)
    assert.equal(count(section(page, 'Faster or slower than inline'), '<li class="row'), cells.length, name)
    assert.equal(count(section(page, 'Under each CPU limit'), '<td class='), cells.length, name)
    assert.equal(count(section(page, 'All figures'), '<tr class='), cells.length, name)
  }
})

test('Every measured cell with a loop delay is a point of the scatter plot, and the others are counted.', () => {
  const scatter = section(render('failed-cells'), 'Throughput and a free event loop')
  assert.equal(count(scatter, '<svg class="mark'), 4)
  assert.match(scatter, /4 not shown/)
  assert.equal(section(render('interrupted'), 'Throughput and a free event loop'), '')
})

test('A failed cell gives its reason.', () => {
  const page = render('failed-cells')
  for (const part of ['Faster or slower than inline', 'Under each CPU limit', 'All figures']) {
    assert.ok(section(page, part).includes('EMFILE: too many open files'), part)
  }
})

test('Cells that cannot be told are hatched, paler than a verdict and said in words.', () => {
  const matrix = section(render('noisy-machine'), 'Under each CPU limit')
  assert.equal(count(matrix, ' hatch'), 9) // eight cells and the key
  assert.equal(count(matrix, '<small>cannot tell</small>'), 8)
  assert.doesNotMatch(matrix, /class="[fs][2-4] hatch/)
})

test('An interval that leaves the plot ends in an arrow.', () => {
  const result = read('cpu-bound')
  result.cells[2].ratio = { value: 1, low: 0.001, high: 900 }
  const forest = section(renderHtml(result), 'Faster or slower than inline')
  assert.equal(count(forest, 'd="M6-5L0 0L6 5"'), 1)
  assert.equal(count(forest, 'd="M-6-5L0 0L-6 5"'), 1)
})

test('Memory is drawn once per configuration, with a segment for each worker.', () => {
  const memory = section(render('cpu-bound'), 'Memory')
  assert.equal(count(memory, '<li>'), 8)
  assert.equal(count(memory.split('<title>processes 4')[1].split('</svg>')[0], '<rect'), 4)
})

test('Predictions are labelled, a guess differs from an extrapolation, and there is no such part without them.', () => {
  const part = section(render('cpu-bound'), 'Predicted for other CPU counts')
  assert.equal(count(part, '<svg class="mark'), 12)
  assert.equal(count(part, 'class="cone"'), 2)
  assert.equal(count(part, 'class="cone guess"'), 2)
  assert.equal(count(part, 'badge guess'), 2)
  assert.ok(!render('noisy-machine').includes('Predicted for other'))
})

test('A lab page has its tables, its heat map and marks what is predicted.', () => {
  const page = render('lab-matrix')
  assert.ok(page.includes('<h1>How many threads are right for how many CPUs?</h1>'))
  assert.equal(count(page, 'title="predicted"'), 9)
  assert.match(page, /<td class="h0">216<\/td>/)
  assert.match(page, /class="h8 predicted" title="predicted">~ 3082</)
  assert.match(page, /threads 64 on 2 CPUs/)
})

test('A lab page draws every row against its own baseline, and nothing where nothing is compared.', () => {
  const lab = read('lab-matrix')
  assert.doesNotMatch(renderLabHtml(lab), /Faster or slower/, 'an older result, whose cells name no baseline')
  const cells = lab.cells
    .slice(0, 4)
    .map((cell, i) => ({ ...cell, label: `row <${i}>`, baseline: i < 2 ? 0 : 2 }))
  const page = renderLabHtml({ ...lab, cells })
  const part = section(page, 'Faster or slower')
  assert.equal(count(part, 'class="forest"'), 2)
  assert.equal(count(part, 'badge baseline'), 2)
  assert.deepEqual(
    [...part.matchAll(/<span>row &lt;(\d)&gt;<\/span>/g)].map(([, row]) => row),
    ['0', '1', '2', '3'],
  )
  const alone = cells.map((cell, i) => ({ ...cell, baseline: i }))
  assert.equal(section(renderLabHtml({ ...lab, cells: alone }), 'Faster or slower'), '')
})

test('A lab page draws timelines on one axis, a row of bars for each worker, and nothing where there are none.', () => {
  const lab = read('lab-matrix')
  assert.equal(section(renderLabHtml(lab), 'Who did what, and when'), '')
  const bar = (name, startMs, endMs) => ({ name, startMs, endMs })
  const timelines = [
    {
      title: 'slow <way>',
      endMs: 200,
      lanes: [{ name: 'w-1', rows: [[bar('a', 0, 100), bar('b', 100, 200)]] }],
    },
    {
      title: 'quick way',
      endMs: 50,
      lanes: [
        { name: 'w-1', rows: [[bar('a', 0, 50)], [bar('b', 10, 10)]] },
        { name: 'w-2', rows: [[bar('<c>', 20, 40)]] },
      ],
    },
  ]
  const part = section(renderLabHtml({ ...lab, timelines }), 'Who did what, and when')
  assert.match(part, /<h3>slow &lt;way&gt;<\/h3>/)
  assert.deepEqual(
    [...part.matchAll(/<rect class="work" x="([\d.]+)%" width="([\d.]+)%" y="(\d+)"/g)].map((match) =>
      match.slice(1),
    ),
    [
      ['0', '50', '2'],
      ['50', '50', '2'],
      ['0', '25', '2'],
      ['5', '0.2', '16'],
      ['10', '10', '2'],
    ],
  )
  assert.match(part, /aria-label="w-1: 2 pieces of work, the last one until 200 ms"/)
  assert.match(part, /<title>&lt;c&gt;: 20/)
  assert.doesNotMatch(part, /NaN|undefined/)
})

test('A result without anything in it is still a page.', () => {
  const empty = { ...read('interrupted'), cells: [] }
  assert.match(renderHtml(empty), /No verdict: there is nothing to compare/)
})
