// The engine of the experiments, with trials that are made up.
import assert from 'node:assert/strict'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { experiments } from '../../../../build/lab/all-experiments.js'
import { runLab } from '../../../../build/lab/runner/run-lab.js'
import { fakeTrials } from '../../../helpers/fake-trials.js'

const enforcement = { method: 'none', exact: true, note: '' }
const base = { rounds: undefined, signal: undefined, onProgress: () => {}, command: 'npx threadwise lab x' }
const conclude = (rows) => ({
  sentence: rows.map(({ label, failed }) => `${label}: ${failed ?? 'fine'}`).join(', '),
  remarks: [],
  tables: [],
  heatMaps: [],
})
const row = (label, executor, size, changes = {}) => ({
  label,
  cell: {
    source: { kind: 'task', url: 'file:///t.js', task: 'love', inputs: [[]] },
    variant: 'love',
    executor,
    size,
    cpus: 2,
    uv: null,
    inFlight: 2 * size,
    ...changes,
  },
})
const experiment = (changes) => ({
  name: 'x',
  question: 'Why?',
  takes: 'no time',
  parameters: {},
  mode: 'cell',
  rows: () => [row('inline', 'inline', 1, { inFlight: 1 }), row('two', 'threads', 2)],
  baselineOf: (_row, rows) => rows[0],
  conclude,
  ...changes,
})

describe('runLab', () => {
  test('compares every row with its baseline', async () => {
    const { runTrial, requests } = fakeTrials({ cpuUs: 5000 })
    const result = await runLab(experiment(), {}, { ...base, runTrial })
    assert.equal(requests.length, 12, '6 rounds of 2 rows')
    assert.deepEqual(
      result.cells.map(({ label, executor }) => [label, executor]),
      [
        ['inline', 'inline'],
        ['two', 'threads'],
      ],
    )
    const ratio = result.cells[1].ratio.value
    assert.ok(ratio > 1.9 && ratio < 2.1, `${ratio}`)
    assert.equal(result.cells[0].ratio.value, 1)
    assert.deepEqual(
      result.cells.map(({ baseline }) => baseline),
      [0, 0],
    )
    assert.deepEqual([result.version, result.lab, result.complete], [1, 'x', true])
    assert.equal(result.sentence, 'inline: fine, two: fine')
  })

  test('reports a row that fails, and the others', async () => {
    const failureOf = ({ executor }) => (executor === 'threads' ? 'EMFILE' : null)
    const { runTrial } = fakeTrials({ failureOf })
    const result = await runLab(experiment(), {}, { ...base, runTrial })
    assert.equal(result.sentence, 'inline: fine, two: EMFILE')
  })

  test('reports a limit that is not available as a failure of its rows', async () => {
    for (const mode of ['cell', 'memory']) {
      const rows = () => [row('here', 'inline', 1), row('elsewhere', 'inline', 1, { cpus: 64 })]
      const answers = fakeTrials({ cpus: 2 })
      const runTrial = async (request, where) => {
        const trial = await answers.runTrial({ ...request, kind: 'cell', timing: { measureMs: 10 } }, where)
        return mode === 'cell' ? trial : { ...trial, answer: { kind: 'memory', privateBytes: 1 } }
      }
      const result = await runLab(experiment({ mode, rows }), {}, { ...base, rounds: 2, runTrial })
      assert.match(result.sentence, /^here: fine, elsewhere: A CPU limit of 64 cannot be applied/)
    }
  })

  test('runs bursts as often as the experiment says, and keeps every one', async () => {
    const asked = []
    const runTrial = async (request) => {
      asked.push([request.kind, request.calls, request.bursts])
      return { answer: { kind: 'burst', endsMs: [[1, 2]] }, enforcement }
    }
    let seen
    const burst = experiment({
      mode: 'burst',
      rounds: 3,
      rows: () => [row('a', 'inline', 1)],
      burst: () => ({ calls: 2, bursts: 1 }),
      conclude: (rows) => ((seen = rows), conclude(rows)),
    })
    const result = await runLab(burst, {}, { ...base, runTrial })
    assert.deepEqual(
      asked,
      [1, 2, 3].map(() => ['burst', 2, 1]),
    )
    assert.equal(seen[0].bursts.length, 3)
    assert.deepEqual(result.cells, [])
  })

  for (const mode of ['cell', 'memory']) {
    test(`stops when it is interrupted, also in the very last trial (${mode})`, async () => {
      for (const last of [1, 4]) {
        const controller = new AbortController()
        let trials = 0
        const runTrial = async () => {
          if (++trials === last) controller.abort()
          return { answer: { kind: 'failed', reason: 'interrupted' }, enforcement }
        }
        const options = { ...base, rounds: 2, runTrial, signal: controller.signal }
        const result = await runLab(experiment({ mode }), {}, options)
        assert.deepEqual([result.complete, trials], [false, last])
      }
    })
  }

  test('tells first what it found while it prepared', async () => {
    const prepare = async () => ({ found: ['One post is broken.'] })
    const remarks = ['The rest is fine.']
    const { runTrial } = fakeTrials()
    const changes = { prepare, conclude: (rows) => ({ ...conclude(rows), remarks }) }
    const result = await runLab(experiment(changes), {}, { ...base, runTrial })
    assert.deepEqual(result.remarks, ['One post is broken.', 'The rest is fine.'])
  })

  test('ends what it prepared and removes its folder, also after a failure', async () => {
    for (const fails of [false, true]) {
      let cleaned = 0
      let own
      const prepare = async (_values, folder) => {
        own = folder
        writeFileSync(join(folder, 'prepared.txt'), '')
        return { cleanUp: () => cleaned++ }
      }
      const { runTrial } = fakeTrials()
      const broken = async () => {
        throw new RangeError('a bug')
      }
      const run = runLab(experiment({ prepare }), {}, { ...base, runTrial: fails ? broken : runTrial })
      await (fails ? assert.rejects(run, RangeError) : run)
      assert.equal(cleaned, 1)
      assert.equal(existsSync(own), false)
    }
  })

  test('removes its folder also when it could not prepare', async () => {
    let own
    const prepare = async (_values, folder) => {
      own = folder
      throw new RangeError('no space left')
    }
    const { runTrial } = fakeTrials()
    await assert.rejects(runLab(experiment({ prepare }), {}, { ...base, runTrial }), /no space left/)
    assert.match(own, /threadwise-/)
    assert.equal(existsSync(own), false)
  })
})

test('every experiment has a question, a time and parameters with flags of their own', () => {
  const names = experiments.map(({ name }) => name)
  assert.deepEqual([...new Set(names)], names)
  for (const { question, takes, parameters } of experiments) {
    assert.match(question, /\?/)
    assert.ok(takes.length > 0)
    for (const { flag, description, initial } of Object.values(parameters)) {
      assert.match(flag, typeof initial === 'boolean' ? /^--[a-z]+$/ : /^--[a-z]+ <(n|list|file|dir)>$/)
      assert.equal(flag.includes('<list>'), Array.isArray(initial))
      assert.equal(/<(file|dir)>/.test(flag), typeof initial === 'string')
      assert.ok(description.length > 0)
    }
  }
})
