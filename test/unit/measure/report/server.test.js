// The report on a measured server: text and page.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { before, describe, test } from 'node:test'
import { measureServerIn } from '../../../../build/measure/server/measure-server.js'
import { renderServerHtml } from '../../../../build/measure/report/html.js'
import { toJson } from '../../../../build/measure/report/figures/json.js'
import { formatServer } from '../../../../build/measure/report/terminal/terminal.js'
import { fakeServerSurroundings } from '../../../helpers/fake-server-trials.js'

const file = fileURLToPath(new URL('../../../fixtures/servers/measured/computing.js', import.meta.url))

async function measured(server = {}, options = {}) {
  const { surroundings } = fakeServerSurroundings(server)
  const result = await measureServerIn(surroundings, file, {
    seed: 1,
    cpus: [0.6, 2],
    quick: true,
    ...options,
  })
  return { ...result, date: '2026-01-01T00:00:00.000Z' }
}

let result
before(async () => (result = await measured({}, { path: '/main', offloadPath: '/offload' })))

describe('the text', () => {
  for (const width of [40, 80, 100, 200]) {
    test(`fits into ${width} columns`, () => {
      const lines = formatServer(result, { color: false, width }).split('\n')
      const long = lines.filter((line) => line.length > width && !line.startsWith('npx') && !line.startsWith('  -')) // prettier-ignore
      assert.deepEqual(long, [])
    })
  }

  test('ends with what it began with: how many requests, and how long answers take', () => {
    const text = formatServer(result, { color: false, width: 10_000 })
    const [first] = text.split('\n')
    assert.match(first, /its requests; at \d+ requests\/s 99 of 100 answers come within /)
    assert.ok(text.endsWith(`${result.advice.map(({ sentence }) => sentence).join('\n')}\n`))
    assert.match(renderServerHtml(result), /<h2>What to run, once more<\/h2>/)
  })

  test('begins with what to run, and has both tables for each limit', () => {
    const text = formatServer(result, { color: false, width: 100 })
    assert.match(text, /^Keep one process at 0\.6 CPU: /)
    assert.equal(text.match(/: as many requests as it answers$/gm).length, 2)
    assert.equal(text.match(/: latency at equal rates/g).length, 2)
    assert.match(text, /^one process, \/offload +\d/m)
  })

  test('says what failed', async () => {
    const failureOf = ({ instances, cpus }) => (instances === 3 && cpus === 2 ? 'it \u001b[31mburnt' : null)
    const text = formatServer(await measured({ failureOf }), { color: false, width: 100 })
    assert.match(text, /Not measured: cluster of 3: it burnt\./)
    assert.match(text, /^cluster of 3 .* failed/m)
  })
})

describe('the page', () => {
  test('has the advice, both pictures, the figures and the raw JSON', () => {
    const page = renderServerHtml(result)
    const titles = [...page.matchAll(/<h2>([^<]+)<\/h2>/g)].map(([, title]) => title)
    assert.deepEqual(titles.slice(0, 3), ['More or fewer requests than one process', 'How long answers take at equal rates', 'Figures']) // prettier-ignore
    assert.match(page, /<span class="pick">one process<\/span>/)
    assert.ok(page.includes('&quot;kind&quot;: &quot;server&quot;'))
    assert.doesNotMatch(page, /NaN|undefined|Infinity/)
  })

  test('can be drawn from the JSON again', () => {
    assert.equal(renderServerHtml(JSON.parse(toJson(result))), renderServerHtml(result))
  })

  test('escapes what came from the user', () => {
    const hostile = '<script>alert(1)</script>'
    const bad = { ...result, server: { file: hostile, path: `/${hostile}`, offloadPath: `/${hostile}` } }
    bad.cells = result.cells.map((cell) => ({ ...cell, name: hostile, failed: hostile }))
    assert.doesNotMatch(renderServerHtml(bad), /<script/)
  })

  test('holds also where nothing was measured', () => {
    const page = renderServerHtml({ ...result, cells: [], advice: [], complete: false })
    assert.match(page, /No verdict: there is nothing to compare/)
    assert.match(page, /The run ended before everything was measured/)
    assert.doesNotMatch(page, /NaN|undefined/)
  })
})
