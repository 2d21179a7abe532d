// What the experiments with servers conclude, from made-up figures.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { describe, test } from 'node:test'
import { concludeCluster } from '../../../../build/lab/experiments/cluster.js'
import { matrix } from '../../../../build/lab/experiments/matrix.js'
import { concludeServerMatrix, measureServerMatrix } from '../../../../build/lab/experiments/matrix-server.js'
import { worstNoise } from '../../../../build/lab/experiments/cluster.js'
import { measureServerIn } from '../../../../build/measure/server/measure-server.js'
import { renderLabHtml } from '../../../../build/measure/report/html.js'
import { formatLab } from '../../../../build/measure/report/terminal/terminal.js'
import { fakeServerSurroundings } from '../../../helpers/fake-server-trials.js'

const file = fileURLToPath(new URL('../../../fixtures/servers/measured/computing.js', import.meta.url))

function server(changes = {}, options = {}, available = 8) {
  const fake = fakeServerSurroundings(changes)
  const surroundings = { ...fake.surroundings, available: () => available }
  return measureServerIn(surroundings, file, { seed: 1, cpus: [2], instances: [2], quick: true, ...options })
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
  const run = (changes = {}) => ({ rounds: undefined, budget: 60, signal: undefined, onServer: () => {}, ...changes }) // prettier-ignore
  const interval = (value) => ({ value, low: value * 0.97, high: value * 1.03 })
  const verdictFor = (speed) => (speed > 1.1 ? 'faster' : speed < 0.9 ? 'slower' : 'same')
  /** One combination: `speed` is its ratio to the fewest threads. */
  const spot = ({ threads, cpus = 2, speed = 1, ...changes }) => ({
    threads,
    cell: {
      ...{ cpus, windows: 20, failed: null, limitedBecause: null, isAtLeast: false, noGain: false },
      ...{ throughput: { median: 100 * speed }, ratio: interval(speed), verdict: verdictFor(speed) },
      ...changes,
    },
  })
  const from = (list) => {
    const threads = [...new Set(list.map((each) => each.threads))]
    const cpus = [...new Set(list.map((each) => each.cpus ?? 2))]
    return concludeServerMatrix(list.map(spot), { threads, cpus, work: [1, 1] })
  }

  test('is another way to measure: without it the rows are those of the pool alone', () => {
    assert.equal(matrix.own({ threads: [1], cpus: [1], server: false }, run()), null)
  })

  test('says how threads and cores multiply', () => {
    const { sentence, heatMaps, remarks } = from([
      { threads: 1, cpus: 1 },
      { threads: 2, cpus: 1 },
      { threads: 1 },
      { threads: 2, speed: 2 },
    ])
    assert.match(
      sentence,
      /at 2 CPUs, a pool of 2 threads answers 2\.00 times the requests of 1 thread \(95 % interval/,
    )
    assert.deepEqual(heatMaps[0].values, [[100, 100], [100, 200]]) // prettier-ignore
    assert.deepEqual(remarks, [])
  })

  test('cannot tell on a machine that was too busy, or from too little', () => {
    const busy = from([{ threads: 1 }, { threads: 2, speed: 2, verdict: 'cannot-tell' }])
    assert.match(busy.sentence, /at 2 CPUs: cannot tell, a pool of 2 threads answers 2\.00 .*--budget/)
    const little = from([{ threads: 1 }, { threads: 2, ratio: interval(NaN), verdict: 'cannot-tell' }])
    assert.match(little.sentence, /cannot tell, too little was measured/)
    assert.equal(from([{ threads: 1 }, { threads: 2, windows: 0, failed: 'no time' }]).sentence, 'Nothing could be compared.') // prettier-ignore
  })

  test('says what the load generator spoilt', () => {
    const limited = from([{ threads: 1, limitedBecause: 'it was slow' }, { threads: 2 }])
    assert.match(limited.remarks[0], /^Cannot tell for 1 thread at 2 CPUs: the load generator was the bottleneck/) // prettier-ignore
    const squeezed = from([{ threads: 1, isAtLeast: true }, { threads: 2, isAtLeast: true }]) // prettier-ignore
    assert.match(squeezed.remarks[0], /^The load generator took CPU time from 1 thread at 2 CPUs, 2 threads/)
  })

  describe('concludes', () => {
    const limitedBecause = 'it used 95 % of one core'

    test('nothing from the fewest threads where the load generator was their bottleneck, or took their CPU time', () => {
      const limited = from([1, 2, 4].map((threads) => ({ threads, limitedBecause })))
      assert.match(limited.sentence, /at 2 CPUs: cannot tell, the load generator was the bottleneck for 1 thread\.$/) // prettier-ignore
      const squeezed = from([{ threads: 1, isAtLeast: true }, { threads: 2, isAtLeast: true, speed: 2 }]) // prettier-ignore
      assert.match(squeezed.sentence, /at 2 CPUs: cannot tell, the load generator took CPU time from 1 thread\.$/) // prettier-ignore
    })

    test('nothing from other spots that it limited, however fast they are', () => {
      const { sentence } = from([{ threads: 1 }, { threads: 2 }, { threads: 4, speed: 2, limitedBecause }])
      assert.match(
        sentence,
        /: cannot tell, a pool of 2 threads answers 1\.00 times .*, and 4 threads could not be judged, see below\.$/,
      )
      const all = from([{ threads: 1 }, { threads: 2, speed: 2, limitedBecause }])
      assert.match(all.sentence, /cannot tell, the load generator was the bottleneck for more than 1 thread/)
    })

    test('a lower bound from those that it took CPU time from, and no more', () => {
      const speeds = (speed, verdict) => [{ threads: 1 }, { threads: 2, speed, verdict, isAtLeast: true }]
      assert.match(from(speeds(1.8, 'faster')).sentence, /a pool of 2 threads answers at least 1\.80 times/)
      assert.match(from(speeds(1, 'cannot-tell')).sentence, /: cannot tell, .* and 2 threads could not be judged/) // prettier-ignore
    })

    test('nothing from a spot that failed', () => {
      const { sentence, remarks } = from([{ threads: 1 }, { threads: 2 }, { threads: 4, failed: 'no memory' }]) // prettier-ignore
      assert.match(sentence, /cannot tell, a pool of 2 threads .* 4 threads could not be judged/)
      assert.deepEqual(remarks, ['4 threads at 2 CPUs could not be measured: no memory.'])
    })

    test('that more threads gain nothing, only where all of them were judged', () => {
      const { sentence } = from([{ threads: 1 }, { threads: 2 }, { threads: 4 }])
      assert.match(sentence, /at 2 CPUs, more than 1 thread gains nothing worth having: /)
    })
  })

  test('measures all combinations of a limit side by side, and tells what failed', async () => {
    const { surroundings, asked, stillOpen } = fakeServerSurroundings({
      failureOf: ({ name, cpus }) => (cpus === 1 && name === '2 threads' ? 'no memory' : null),
    })
    const steps = []
    const onServer = ({ comparison, phase }) => steps.push(`${comparison} ${phase}`)
    const predict = async () => ({
      routes: [{ path: '/', share: 1, demands: [{ main: 0.2, pool: 2, uv: 0, wait: 2 }] }],
      levels: [{ busy: 0.1, main: 1, rest: 1 }],
      ...{ spread: 0.03, fit: 1, at: 100, shadow: 0, threads: 1, memoryBytes: null, disturbed: null },
    })
    const result = await measureServerMatrix(values, run({ onServer }), surroundings, predict)
    assert.deepEqual([result.complete, stillOpen()], [true, 0])
    for (const step of ['1 starting', '1 measuring', '2 warming up', '2 measuring']) assert.ok(steps.includes(step), step) // prettier-ignore
    assert.ok(!steps.some((step) => /timing answers/.test(step)), 'latency is no question here')
    const rows = new Set(asked.map(({ row, env }) => `${row.cpus} ${env.THREADWISE_LAB_THREADS}`))
    assert.deepEqual([...rows].sort(), ['1 1', '2 1', '2 2'])
    assert.equal(result.heatMaps[0].values[1][0], null)
    assert.match(result.sentence, /at 2 CPUs, more than 1 thread gains nothing worth having/)
    assert.ok(result.remarks.includes('2 threads at 1 CPU could not be measured: no memory.'))
    const [, second] = result.tables
    assert.match(
      second.title,
      /^Containers of 1 CPU and 1 thread, or one container with as many CPUs and threads/,
    )
    // 2.2 ms of CPU time for a request, 2 of them on a thread of the pool.
    assert.deepEqual(second.rows.map(([cpus, containers, , threads]) => [cpus, containers, threads]), [1, 2, 3, 4].map((cpus) => [cpus, Math.round((cpus * 1000) / 2.2), Math.round((cpus * 1000) / 2.2)])) // prettier-ignore
    assert.ok(second.rows[1][4] > 0 && second.rows[3][4] === null, 'measured up to this machine')
    assert.ok(result.remarks.some((text) => /^Predicted from one process: at most \d+ % (above|below) what was measured, at [12] CPU/.test(text)), result.remarks.join()) // prettier-ignore
  })

  test('compares nothing with a prediction that cannot be relied on', async () => {
    const { surroundings } = fakeServerSurroundings()
    const predict = async () => ({
      routes: [{ path: '/', share: 1, demands: [{ main: 0.2, pool: 2, uv: 0, wait: 2 }] }],
      ...{ levels: [{ busy: 0.1, main: 1, rest: 1 }], shadow: 0, disturbed: 'others used 2 CPUs' },
    })
    const { remarks } = await measureServerMatrix(values, run(), surroundings, predict)
    assert.ok(remarks.includes('What is predicted cannot be relied on: others used 2 CPUs.'), remarks.join())
    assert.ok(!remarks.some((text) => text.startsWith('Predicted from one process')), remarks.join())
  })

  test('measures on where nothing can be predicted', async () => {
    const { surroundings } = fakeServerSurroundings()
    const predict = () => Promise.reject(new Error('no /proc'))
    const result = await measureServerMatrix(values, run(), surroundings, predict)
    assert.equal(result.tables.length, 1)
    assert.ok(result.remarks.includes('Nothing was predicted: no /proc'))
  })
})

test('several measurements are as quiet as the least quiet of them', () => {
  const noises = ['quiet', 'unusable', 'noisy'].map((verdict) => ({ verdict }))
  assert.equal(worstNoise(noises).verdict, 'unusable')
})
