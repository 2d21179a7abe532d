// What the README shows of the command line is what the command line prints.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { describeCpus } from '../../build/cli/measuring/run-cpus.js'
import { cpuBudget, wholeCpus } from '../../build/cpu/cpu-budget.js'
import { formatResult } from '../../build/measure/report/terminal/terminal.js'
import { blocksOf, readPage, root } from './pages.js'

const shown = blocksOf(readPage('README.md')).filter(({ language }) => language === 'text')
const blockWith = (text) => shown.find((block) => block.text.includes(text)).text

test('the CPU budget of a container of 0.6 CPU', () => {
  const budget = cpuBudget({ root: join(root, 'test/fixtures/cpu/v2-namespace') })
  const report = { version: 1, ...budget, workers: wholeCpus(budget.cpus), throttling: null, limits: [] }
  const text = blockWith('This process may use')
  assert.equal(describeCpus(report).slice(0, text.length), text)
})

test('the table of a measurement has these columns, marks and verdicts', () => {
  const result = JSON.parse(readFileSync(join(root, 'test/fixtures/results/cpu-bound.json'), 'utf8'))
  const printed = formatResult(result, { color: false, width: 160 })
  const text = blockWith('> inline')
  const columns = (output) => output.match(/^executor .*$/m)[0].split(/\s{2,}/)
  assert.deepEqual(columns(text).filter((column) => !columns(printed).includes(column)), []) // prettier-ignore
  for (const word of ['> inline', 'baseline', '  threads 2', '95 %']) {
    assert.ok(text.includes(word) && printed.includes(word), word)
  }
  assert.match(text, /^machine: \w+ \(.*\)$/m)
  assert.match(printed, /^machine: \w+/m)
})
