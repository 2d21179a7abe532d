// The engine of the experiments, with trials that are made up.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { experiments } from '../../../../build/lab/all-experiments.js'
import { checkDisk } from '../../../../build/lab/runner/free-disk.js'
import { leftFolders } from '../../../../build/lab/runner/temporary-folder.js'
import { runLab } from '../../../../build/lab/runner/run-lab.js'
import { temporaryFolder } from '../../../helpers/files.js'
import { fakeSurroundings } from '../../../helpers/fake-trials.js'

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
    const { surroundings: outside, stillOpen } = fakeSurroundings({ cpuUs: 5000 })
    const result = await runLab(experiment(), {}, { ...base, outside })
    assert.equal(stillOpen(), 0)
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
    const { surroundings: outside } = fakeSurroundings({ failureOf })
    const result = await runLab(experiment(), {}, { ...base, outside })
    assert.equal(result.sentence, 'inline: fine, two: EMFILE')
  })

  test('reports a limit that is not available as a failure of its rows', async () => {
    for (const mode of ['cell', 'memory']) {
      const rows = () => [row('here', 'inline', 1), row('elsewhere', 'inline', 1, { cpus: 64 })]
      const { surroundings: outside } = fakeSurroundings({ cpus: 2 })
      const result = await runLab(experiment({ mode, rows }), {}, { ...base, rounds: 2, outside })
      assert.match(result.sentence, /^here: fine, elsewhere: A CPU limit of 64 cannot be applied/)
    }
  })

  test('runs bursts as often as the experiment says, and keeps every one', async () => {
    const { surroundings: outside, asked } = fakeSurroundings()
    let seen
    const burst = experiment({
      mode: 'burst',
      rounds: 3,
      rows: () => [row('a', 'inline', 1)],
      burst: () => ({ calls: 2, bursts: 1 }),
      conclude: (rows) => ((seen = rows), conclude(rows)),
    })
    const result = await runLab(burst, {}, { ...base, outside })
    assert.deepEqual(
      asked.map(({ kind, calls, bursts }) => [kind, calls, bursts]),
      [1, 2, 3].map(() => ['burst', 2, 1]),
    )
    assert.equal(seen[0].bursts.length, 3)
    assert.deepEqual(result.cells, [])
  })

  for (const mode of ['cell', 'memory']) {
    test(`stops when it is interrupted (${mode})`, async () => {
      for (const last of [1, 4]) {
        const controller = new AbortController()
        const onAsk = (_kind, number) => number === last && controller.abort()
        const { surroundings: outside, asked, stillOpen } = fakeSurroundings({ onAsk })
        const options = { ...base, rounds: 2, outside, signal: controller.signal }
        const outcome = await runLab(experiment({ mode }), {}, options).catch((error) => error)
        if (outcome !== controller.signal.reason) {
          assert.equal(outcome.complete, false)
          assert.ok(outcome.sentence.includes('fine'), 'something was measured')
        } else assert.ok(last === 1 || mode === 'cell', 'it was too early for figures')
        assert.ok(asked.slice(last).every(({ kind }) => kind === 'report' || kind === 'warmUp' || kind === 'start'), asked.map(({ kind }) => kind).join()) // prettier-ignore
        assert.equal(stillOpen(), 0)
      }
    })
  }

  test('is refused a sentence about what was not measured', async () => {
    const controller = new AbortController()
    const onAsk = (kind) => kind === 'window' && controller.abort()
    const { surroundings: outside } = fakeSurroundings({ onAsk })
    const run = runLab(experiment(), {}, { ...base, outside, signal: controller.signal })
    const { cells, sentence } = await run.catch((error) => ({ cells: [], sentence: error.name }))
    for (const { ratio, windows } of cells) assert.ok(windows > 0 && Number.isFinite(ratio.value))
    assert.match(sentence, /the run was ended before|too few windows for a ratio|AbortError/)
  })

  test('ends while it prepares when it is interrupted, and removes its folder', async () => {
    const controller = new AbortController()
    let own
    const prepare = async (_values, folder, pause) => {
      own = folder
      setImmediate(() => controller.abort())
      for (;;) {
        writeFileSync(join(folder, 'prepared.txt'), 'more')
        await pause()
      }
    }
    const { surroundings: outside } = fakeSurroundings()
    const run = runLab(experiment({ prepare }), {}, { ...base, outside, signal: controller.signal })
    await assert.rejects(run, (error) => error === controller.signal.reason)
    for (let waits = 0; existsSync(own) && waits < 100; waits++) await new Promise((resolve) => setTimeout(resolve, 50)) // prettier-ignore
    assert.equal(existsSync(own), false)
  })

  test('tells first what it found while it prepared', async () => {
    const prepare = async () => ({ found: ['One post is broken.'] })
    const remarks = ['The rest is fine.']
    const { surroundings: outside } = fakeSurroundings()
    const changes = { prepare, conclude: (rows) => ({ ...conclude(rows), remarks }) }
    const result = await runLab(experiment(changes), {}, { ...base, outside })
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
      const { surroundings } = fakeSurroundings()
      const broken = async () => {
        throw new RangeError('a bug')
      }
      const outside = fails ? { ...surroundings, startTrial: broken } : surroundings
      const run = runLab(experiment({ prepare }), {}, { ...base, outside })
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
    const { surroundings: outside } = fakeSurroundings()
    await assert.rejects(runLab(experiment({ prepare }), {}, { ...base, outside }), /no space left/)
    assert.match(own, /threadwise-/)
    assert.equal(existsSync(own), false)
  })
})

describe('the folders of runs', () => {
  test('that were killed are found, and no others', (t) => {
    const parent = temporaryFolder(t)
    const { pid } = spawnSync(process.execPath, ['--version'])
    const mine = `threadwise-lab-files-${process.pid}-abcdef`
    const left = `threadwise-lab-files-${pid}-abcdef`
    for (const name of [mine, left, `other-${pid}-abcdef`, `threadwise-lab-files-${pid}`])
      mkdirSync(join(parent, name))
    symlinkSync(parent, join(parent, `threadwise-lab-posts-${pid}-abcdef`))
    assert.deepEqual(leftFolders(parent), [join(parent, left)])
  })
})

describe('the disk', () => {
  test('is looked at before it is filled', (t) => {
    const folder = join(temporaryFolder(t), 'own')
    mkdirSync(folder)
    const need = { option: 'count', bytes: 20_000, files: 1 }
    checkDisk(folder, { ...need, count: 1 })
    assert.throws(() => checkDisk(folder, { ...need, count: 1e12 }), /^ThreadwiseError: count must be at most \d+, as .* has [\d.]+ GB free, got 1000000000000\.$/) // prettier-ignore
  })
})

test('every number of an experiment has a largest value', () => {
  for (const { name, parameters } of experiments)
    for (const [option, { initial, most }] of Object.entries(parameters))
      if (typeof initial !== 'string' && typeof initial !== 'boolean')
        assert.ok(most >= Math.max(...[initial].flat()), `${name} ${option}`)
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
