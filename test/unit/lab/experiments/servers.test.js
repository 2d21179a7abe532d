// What the experiments with servers conclude, from made-up figures.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { concludeCluster } from '../../../../build/lab/experiments/cluster.js'
import { matrix } from '../../../../build/lab/experiments/matrix.js'
import { concludeServerMatrix, measureServerMatrix } from '../../../../build/lab/experiments/matrix-server.js'
import { worstNoise } from '../../../../build/lab/experiments/cluster.js'
import { measureServer } from '../../../../build/measure/server/measure-server.js'
import { renderLabHtml } from '../../../../build/measure/report/html.js'
import { formatLab } from '../../../../build/measure/report/terminal/terminal.js'
import { fakeServerSurroundings } from '../../../helpers/fake-server-trials.js'

const file = fileURLToPath(new URL('../../../fixtures/servers/measured/computing.js', import.meta.url))

function server(changes = {}, options = {}, available = 8) {
  const fake = fakeServerSurroundings(changes)
  const surroundings = { ...fake.surroundings, available: () => available }
  return measureServer(file, { seed: 1, cpus: [2], instances: [2], quick: true, ...options }, surroundings)
}

describe('lab cluster', () => {
  test('says for each server what it gains, by what path, and at what latency', async () => {
    const hello = await server({ cpuMs: 0.1, limitedBecause: () => 'it used 97 % of one core' })
    const render = await server({}, { path: '/main', offloadPath: '/offload' })
    const { sentence, remarks, tables } = concludeCluster([
      { title: 'Hello', result: hello },
      { title: 'A page', result: render },
    ])
    assert.match(sentence, /^Hello: Cannot tell at 2 CPUs: the load generator was the bottleneck/)
    assert.match(sentence, /A page: Keep one process at 2 CPUs, and do the work on threads/)
    assert.ok(remarks.some((remark) => /^A page at 2 CPUs: in one process, \/offload answers [12]\.\d+ times the requests of \/main \(.*\)\. There, threads do the work\.$/.test(remark))) // prettier-ignore
    assert.deepEqual(tables.map(({ rows }) => rows.map(([name]) => name)), [
      ['one process', 'cluster of 2'],
      ['one process', 'cluster of 2', 'one process, /offload', 'cluster of 2, /offload'],
    ]) // prettier-ignore
    const [, megabytes] = [0, tables[1].rows[0][2]]
    assert.ok(megabytes > 0.19 && megabytes < 0.21, 'about 200 answers of 1000 bytes')
    assert.ok(tables.every(({ rows }) => rows.every(({ length }) => length === 8)))
  })

  test('says where the load took CPUs that a row wanted', async () => {
    const result = await server({ generatorCpu: 0.2 }, {}, 2)
    const { sentence, remarks, tables } = concludeCluster([{ title: 'A page', result }])
    assert.match(sentence, /they answer at least 1\.\d+ times/)
    assert.ok(remarks.some((remark) => /^The load generator used up to 0\.20 CPUs/.test(remark)))
    assert.equal(tables[0].rows[1][4], 'faster, at least')
  })

  test('is drawn on the page and in the terminal', async () => {
    const servers = [{ title: 'Hello <world>', result: await server() }]
    const { machine, noise, date } = servers[0].result
    const lab = { version: 1, lab: 'cluster', question: 'Does it?', command: 'npx threadwise lab cluster', cells: [] } // prettier-ignore
    const result = { ...lab, ...concludeCluster(servers), servers, machine, noise, date, complete: true }
    const page = renderLabHtml(result)
    assert.match(page, /<h2>Hello &lt;world&gt;<\/h2>/)
    assert.match(page, /Requests per second relative to one process/)
    assert.match(page, /Latency of 99 of 100 answers/)
    assert.match(formatLab(result, { color: false, width: 100 }), /^cluster of 2 +\d+/m)
  })
})

describe('lab matrix --server', () => {
  const values = { threads: [1, 2], cpus: [1, 2], work: [1, 1] }
  const run = (changes = {}) => ({ rounds: 2, signal: undefined, onServer: () => {}, ...changes })
  const trial = (throughput, changes = {}) => ({ kind: 'saturation', throughput, generatorCpu: 0.1, serverCpus: 0.9, limitedBecause: null, ...changes }) // prettier-ignore
  const rounds = [100, 101, 99, 100, 102, 98]
  const spots = (changes) =>
    [1, 2].flatMap(
      (cpus) =>
      [1, 2].map((threads) => ({ threads, cpus, trials: rounds.map((drift) => trial(drift * Math.min(threads, cpus), changes)), failed: null })), // prettier-ignore
    )

  test('is another way to measure: without it the rows are those of the pool alone', () => {
    assert.equal(matrix.own({ threads: [1], cpus: [1], server: false }, run()), null)
  })

  test('says how threads and cores multiply', () => {
    const { sentence, heatMaps, remarks } = concludeServerMatrix(spots(), values, {
      available: 4,
      usable: true,
    })
    assert.match(
      sentence,
      /at 2 CPUs, a pool of 2 threads answers 2\.00 times the requests of 1 thread \(95 % interval/,
    )
    assert.deepEqual(heatMaps[0].values, [[100, 100], [100, 200]]) // prettier-ignore
    assert.deepEqual(remarks, [])
  })

  test('cannot tell on a machine that was too busy, or from few rounds', () => {
    const busy = concludeServerMatrix(spots(), values, { available: 4, usable: false })
    assert.match(busy.sentence, /at 2 CPUs: cannot tell, /)
    const few = spots().map((spot) => ({ ...spot, trials: spot.trials.slice(0, 5) }))
    assert.match(concludeServerMatrix(few, values, { available: 4, usable: true }).sentence, /cannot tell/)
  })

  test('says what the load generator spoilt', () => {
    const limited = concludeServerMatrix(spots({ limitedBecause: 'it was slow' }), values, {
      available: 4,
      usable: true,
    })
    assert.match(limited.remarks[0], /^Cannot tell for 1 thread at 1 CPU, .*: the load generator was the bottleneck/) // prettier-ignore
    const squeezed = concludeServerMatrix(spots({ serverCpus: 1.8 }), values, { available: 2, usable: true })
    assert.match(squeezed.remarks[0], /^The load generator took CPU time from 1 thread at 2 CPUs, 2 threads/)
  })

  describe('concludes', () => {
    const from = (list, available = 4) =>
      concludeServerMatrix(
        list.map(({ threads, speed = 100, failed = null, isAgain = false, drift = 0.003, ...changes }) => ({
          ...{ threads, cpus: 2, failed, isAgain },
          trials: rounds.map((_, round) => trial(speed * (1 + drift * (round % 3)), changes)),
        })),
        { threads: [...new Set(list.map(({ threads }) => threads))], cpus: [2], work: [1, 1] },
        { available, usable: true },
      )
    const limitedBecause = 'it used 95 % of one core'

    test('nothing from the fewest threads where the load generator was their bottleneck, or took their CPU time', () => {
      const limited = from([1, 2, 4].map((threads) => ({ threads, limitedBecause })))
      assert.match(
        limited.sentence,
        /at 2 CPUs: cannot tell, the load generator was the bottleneck for 1 thread\.$/,
      )
      const squeezed = from(
        [
          { threads: 1, serverCpus: 1.9 },
          { threads: 2, serverCpus: 1.9, speed: 200 },
        ],
        2,
      )
      assert.match(
        squeezed.sentence,
        /at 2 CPUs: cannot tell, the load generator took CPU time from 1 thread\.$/,
      )
    })

    test('nothing from other spots that it limited, however fast they are', () => {
      const { sentence } = from([{ threads: 1 }, { threads: 2 }, { threads: 4, speed: 200, limitedBecause }])
      assert.match(
        sentence,
        /: cannot tell, a pool of 2 threads answers 1\.00 times .*, and 4 threads could not be judged, see below\.$/,
      )
      const all = from([{ threads: 1 }, { threads: 2, speed: 200, limitedBecause }])
      assert.match(all.sentence, /cannot tell, the load generator was the bottleneck for more than 1 thread/)
    })

    test('a lower bound from those that it took CPU time from, and no more', () => {
      const speeds = (speed) => [{ threads: 1 }, { threads: 2, speed, serverCpus: 1.9 }]
      assert.match(from(speeds(180), 2).sentence, /a pool of 2 threads answers at least 1\.80 times/)
      assert.match(from(speeds(100), 2).sentence, /: cannot tell, .* and 2 threads could not be judged/)
    })

    test('nothing from a spot that failed', () => {
      const { sentence } = from([{ threads: 1 }, { threads: 2 }, { threads: 4, speed: 200, failed: 'no memory' }]) // prettier-ignore
      assert.match(sentence, /cannot tell, a pool of 2 threads .* 4 threads could not be judged/)
    })

    test('that more threads gain nothing, only where all of them were judged', () => {
      const { sentence } = from([{ threads: 1 }, { threads: 2 }, { threads: 4 }])
      assert.match(sentence, /at 2 CPUs, more than 1 thread gains nothing: /)
    })

    test('by the difference of two equal spots', () => {
      const spotsWith = (again) => [{ threads: 1 }, { threads: 2, speed: 115 }, { threads: 1, isAgain: true, speed: again }] // prettier-ignore
      assert.match(from(spotsWith(100)).sentence, /a pool of 2 threads answers 1\.15 times/)
      assert.match(from(spotsWith(125)).sentence, /cannot tell/)
    })
  })

  test('measures each combination in each round, and tells what failed', async () => {
    const { surroundings, asked } = fakeServerSurroundings({
      failureOf: ({ name, cpus }) => (cpus === 1 && name === '2 threads' ? 'no memory' : null),
    })
    const steps = []
    const result = await measureServerMatrix(values, run({ onServer: (step) => steps.push(step.comparison) }), surroundings.startTrial) // prettier-ignore
    assert.equal(result.complete, true)
    assert.deepEqual(steps, [1, 1, 1, 1, 1, 2, 2, 2, 2, 2])
    assert.equal(asked.length, 8, 'what failed is not tried again')
    const twice = asked.filter(({ row }) => row.cpus === 2 && row.name === '1 thread')
    assert.equal(twice.length, 4, 'the one that others are compared with is measured twice in each round')
    assert.deepEqual([...new Set(asked.map(({ env }) => env.THREADWISE_LAB_THREADS))].sort(), ['1', '2'])
    assert.deepEqual(result.heatMaps[0].values[1][0], null)
    assert.ok(result.remarks.includes('2 threads at 1 CPU could not be measured: no memory.'))
  })
})

test('several measurements are as quiet as the least quiet of them', () => {
  const noises = ['quiet', 'unusable', 'noisy'].map((verdict) => ({ verdict }))
  assert.equal(worstNoise(noises).verdict, 'unusable')
})
