// docs/measuring.md and docs/measuring-method.md tell all fields of the JSON and all findings.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { inlineCodeOf, readPage, root } from './pages.js'

const page = ['docs/measuring.md', 'docs/measuring-method.md'].map(readPage).join('\n')
const section = (title) => page.split(`\n## ${title}\n`)[1].split('\n## ')[0]
const words = (markdown) => new Set(inlineCodeOf(markdown).flatMap((code) => code.match(/[\w-]+/g)))

describe('the JSON', () => {
  const told = words(section('The JSON'))
  const result = JSON.parse(readFileSync(join(root, 'test/fixtures/results/cpu-bound.json'), 'utf8'))
  const parts = {
    'the result': result,
    'the scout': Object.values(result.workload.scout)[0],
    'a cell': result.cells[0],
    'a piece of advice': result.advice[0],
    'a reason': result.advice.flatMap(({ reasons }) => reasons)[0],
    'a prediction': result.predictions[0],
  }
  for (const [name, part] of Object.entries(parts)) {
    test(`has no field of ${name} that the page does not tell`, () => {
      assert.ok(Object.keys(part).length > 2)
      assert.deepEqual(Object.keys(part).filter((field) => !told.has(field)), []) // prettier-ignore
    })
  }

  const declared = readFileSync(join(root, 'src/measure/results/result.ts'), 'utf8')
  test('has every field that the page tells', () => {
    const notFields = ['--json', '-', 'FILE', 'inline', 'concurrent', 'null', 'threadwise', 'measure', 'MeasureResult'] // prettier-ignore
    const unknown = [...told].filter((word) => !notFields.includes(word) && !declared.includes(word))
    assert.deepEqual(unknown, [])
  })
})

test('every finding is told, and every finding that is told exists', () => {
  const sources = readdirSync(join(root, 'src/measure/findings'))
  const ids = sources.flatMap((name) => {
    const text = readFileSync(join(root, 'src/measure/findings', name), 'utf8')
    return [...text.matchAll(/^ {4}id: '([a-z-]+)'/gm)].map(([, id]) => id)
  })
  const rows = section('The advice').split('\n').filter((line) => line.startsWith('| `')) // prettier-ignore
  const told = rows.flatMap((row) => inlineCodeOf(row.split('|')[1]))
  assert.ok(ids.length > 10)
  assert.deepEqual([...new Set(ids)].filter((id) => !told.includes(id)), []) // prettier-ignore
  assert.deepEqual(told.filter((id) => !ids.includes(id)), []) // prettier-ignore
})
