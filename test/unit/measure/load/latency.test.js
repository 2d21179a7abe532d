// What a load run says about servers whose latency is known.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { load } from '../../../../build/measure/load/load.js'
import { httpServer, stallingServer } from '../../../helpers/http-servers.js'
import { MAX_GAP_MS, undisturbed } from '../../../helpers/undisturbed.js'
import { waitUntil } from '../../../helpers/waiting.js'

/** The machine of the test may be busy: lower bounds are exact, upper ones generous. */
const between = (value, low, high, what) => assert.ok(value >= low && value <= high, `${what}: ${value}`)

/** Most of each run is waiting. */
const atOnce = { concurrency: true }

describe('the figures of a run', atOnce, () => {
  test('a server that answers in 20 ms has a median of 20 ms', async (t) => {
    const { latency, requests, errors, sent, count } = await undisturbed(async () => {
      const { url, count } = await httpServer(t, (_, response) => setTimeout(() => response.end('hello'), 20))
      return { ...(await load(url, { rate: 10, duration: 3, warmup: 0.5 })), count }
    })
    between(latency.p50, 19.5, 200, 'p50')
    between(latency.p50, 0, latency.p90, 'p50')
    between(latency.p90, 0, latency.p99, 'p90')
    between(latency.p99, 0, latency.max, 'p99')
    assert.deepEqual([requests, errors], [30, 0])
    assert.deepEqual([sent, count()], [35, 35])
  })

  describe('a stall of 2 s at 100 requests/s', atOnce, () => {
    for (const connections of [100, 300, 2]) {
      test(`shows in the percentiles as it must, on ${connections} connections`, async (t) => {
        const { latency, requests, errors, waited, truth } = await undisturbed(async () => {
          const { url, answers } = await stallingServer(t, { afterMs: 1500, stallMs: 2000 })
          const start = performance.now()
          const result = await load(url, { rate: 100, duration: 5, warmup: 0.5, connections })
          // Request number i is due 10 * i ms after the start; 50 are for the warm-up.
          return { ...result, truth: answers.map((time, i) => time - start - 10 * i).slice(50) }
        })
        assert.deepEqual([requests, errors], [500, 0])
        const sorted = truth.sort((a, b) => a - b)
        const isAs = (name, least, index) => between(latency[name], least, sorted[index] + MAX_GAP_MS, name)
        // 200 of 500 requests were due within the stall; they waited 2 s, 1.99 s, 1.98 s ... 0.01 s.
        isAs('max', 1900, 499)
        isAs('p99', 1900, 494)
        isAs('p90', 1400, 449)
        isAs('p50', 0, 249)
        if (connections === 300) assert.equal(waited, 0)
        else between(waited, connections === 2 ? 180 : 80, connections === 2 ? 500 : 160, 'waited')
      })
    }

    test('all but disappears in a closed loop', async (t) => {
      const { latency, requests, loop } = await undisturbed(async () => {
        let free = 0
        // From the 20th request on, whenever that comes, it answers nothing for a second.
        const { url } = await httpServer(t, (_, response, number) => {
          const time = performance.now()
          if (number === 20) free = time + 1000
          setTimeout(() => response.end('hello'), Math.max(0, free - time))
        })
        return load(url, { duration: 3, warmup: 0, connections: 2 })
      })
      assert.equal(loop, 'closed')
      assert.ok(requests > 50, `${requests} requests`)
      assert.ok(latency.max >= 990, `max: ${latency.max}`) // a timer of Node may be some milliseconds early
      between(latency.p90, 0, 500, 'p90')
    })
  })

  describe('a server that never answers', atOnce, () => {
    test('gives timeouts, which count in the latencies', async (t) => {
      const { url, count } = await httpServer(t, () => {})
      // Held up for as long as the timeout, the generator would give up requests that it has not sent.
      const result = await load(url, { rate: 20, duration: 1, warmup: 0, timeout: 3 })
      assert.deepEqual([result.requests, result.errors, result.errorsByKind.timeout], [0, 20, 20])
      assert.equal(count(), 20)
      between(result.latency.p50, 2970, 6000, 'p50') // percentiles are within 1 %
      assert.match(result.messages.timeout, /no whole answer in time/)
    })

    test('loses none of the requests that never found a free connection', async (t) => {
      const { result, count } = await undisturbed(async () => {
        const { url, count } = await httpServer(t, () => {})
        const plan = { rate: 200, connections: 3, duration: 1, warmup: 0, timeout: 0.2 }
        return { result: await load(url, plan), count }
      })
      assert.deepEqual([result.requests, result.errors, result.errorsByKind.timeout], [0, 200, 200])
      await waitUntil(() => count() >= result.sent) // the last ones may be on their way
      assert.equal(count(), result.sent)
      between(result.sent, 3, 40, 'sent')
    })
  })

  test('more than a server can do is answered at its pace, and nothing is lost', async (t) => {
    const options = { rate: 150, connections: 2, duration: 2, warmup: 0, timeout: 1 }
    const { requests, errors, throughput, latency } = await undisturbed(async () => {
      let free = 0
      // 50 requests/s, one after the other.
      const { url } = await httpServer(t, (_, response) => {
        free = Math.max(free, performance.now()) + 20
        setTimeout(() => response.end('hello'), free - performance.now())
      })
      return load(url, options)
    })
    assert.equal(requests + errors, 300)
    between(throughput, 10, 51, 'throughput')
    between(requests, 30, 170, 'requests')
    between(latency.p50, 700, 3000, 'p50')
  })
})

describe('a generator that is the bottleneck says so', () => {
  const burn = (ms) => {
    const end = performance.now() + ms
    while (performance.now() < end);
  }

  test('when it sent late', async (t) => {
    const { url } = await httpServer(t)
    setTimeout(() => burn(400), 800)
    const result = await load(url, { rate: 100, duration: 1.5, warmup: 0.3 })
    assert.equal(result.limited, true)
    assert.match(result.limitedBecause, /sent .* of the requests more than \d+ ms late/)
    between(result.sendDelay.max, 350, 5000, 'sendDelay')
    between(result.latency.max, 349, 5000, 'the lateness counts')
  })

  test('when it used more than 0.8 of a core', async (t) => {
    const { url } = await httpServer(t)
    const timer = setInterval(() => burn(30), 1)
    const result = await load(url, { duration: 1, warmup: 0 }).finally(() => clearInterval(timer))
    // Beside other work this process may get less than a whole core, whatever it does.
    if (result.generatorCpu > 0.8) assert.match(result.limitedBecause, /used \d+ % of one core/)
    else t.skip(`the machine gave it only ${result.generatorCpu} of a core`)
  })

  test('and is not, when it sleeps', async (t) => {
    const { url } = await httpServer(t)
    const { generatorCpu } = await load(url, { rate: 10, duration: 1, warmup: 0 })
    between(generatorCpu, 0, 0.5, 'generatorCpu')
  })
})
