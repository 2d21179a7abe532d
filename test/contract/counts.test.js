// What stats(), the text for Prometheus and OpenTelemetry count: each call that was made, once, whatever becomes of it.
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { test } from 'node:test'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics' // prettier-ignore
import { prometheusText } from 'threadwise'
import { map, reduce, sort } from 'threadwise/parallel'
import { describeExecutors, rejection } from '../helpers/executors.js'
import { testFolder, touch } from '../helpers/files.js'
import { numbers } from '../helpers/many.js'
import { waitUntil } from '../helpers/waiting.js'

const OUTCOMES = ['completed', 'failed', 'cancelled']

/** As a program counts with OpenTelemetry: the channels add to counters of a meter. */
function meter(t, name) {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1e9 })
  const provider = new MeterProvider({ readers: [reader] })
  t.after(() => provider.shutdown())
  const counters = provider.getMeter('threadwise')
  const listen = (event, attributesOf) => {
    const counter = counters.createCounter(event)
    const add = (message) => message.executor === name && counter.add(1, attributesOf(message))
    subscribe(`threadwise:${event}`, add)
    t.after(() => unsubscribe(`threadwise:${event}`, add))
  }
  listen('call:accepted', () => ({}))
  listen('call:settled', ({ outcome }) => ({ outcome }))
  return {
    /** { accepted, completed, failed, cancelled } */
    async read() {
      await reader.forceFlush()
      const counts = { accepted: 0, completed: 0, failed: 0, cancelled: 0 }
      const metrics = exporter.getMetrics().at(-1)?.scopeMetrics[0]?.metrics ?? []
      for (const { dataPoints } of metrics)
        for (const { attributes, value } of dataPoints) counts[attributes.outcome ?? 'accepted'] = value
      return counts
    },
  }
}

function prometheus(executor) {
  const text = prometheusText(executor)
  const valueOf = (pattern) => Number(new RegExp(`^threadwise_${pattern} (\\d+)$`, 'm').exec(text)[1])
  return {
    ...Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, valueOf(`calls_total\\{.*outcome="${outcome}"\\}`)]),
    ),
    refused: valueOf('calls_refused_total\\{.*\\}'),
    ran: valueOf('call_run_seconds_count\\{.*\\}'),
  }
}

/** Once nothing is open: the same in all outputs. Of OpenTelemetry, where a meter has listened from the start. */
async function countsOf(executor, listening) {
  await waitUntil(() => executor.stats().queued + executor.stats().running === 0)
  const { completed, failed, cancelled, refused, run, wait } = executor.stats()
  assert.deepEqual(prometheus(executor), { completed, failed, cancelled, refused, ran: run.count })
  assert.equal(wait.count, run.count)
  assert.ok(run.timed <= run.count && run.count <= completed + failed + cancelled, JSON.stringify(run))
  assert.ok(run.count >= completed)
  const accepted = completed + failed + cancelled
  if (listening)
    assert.deepEqual(await listening.read(), { accepted, completed, failed, cancelled }, 'OpenTelemetry')
  return { completed, failed, cancelled, refused }
}

/** What became of each promise, in the words of stats(). */
async function outcomesOf(calls) {
  const counts = { completed: 0, failed: 0, cancelled: 0, refused: 0 }
  for (const { status, reason } of await Promise.allSettled(calls)) {
    const isRefused = reason?.code === 'TW_ERR_QUEUE_FULL' || /the newest call/.test(reason?.message)
    if (status === 'fulfilled') counts.completed++
    else if (isRefused) counts.refused++
    else if (reason?.name === 'AbortError' || reason?.name === 'TimeoutError') counts.cancelled++
    else counts.failed++
  }
  return counts
}

const POLICIES = ['reject', 'wait', 'discard', 'discard-oldest', 'caller-runs']

describeExecutors('counts', (make, { name, kind, isPool, isOnQueue }) => {
  const hasQueue = !isOnQueue // of its own
  const isCopied = isPool

  /** Calls of all kinds, each of which ends in its own way. */
  const manyCalls = (executor) => {
    const aborted = () => AbortSignal.timeout(15)
    return [
      ...numbers(30).map((i) => executor.run('same', [i])),
      ...numbers(5).map(() => executor.run('fails', [1])),
      ...numbers(5).map(() => executor.run('failsLater', [1])),
      executor.run('missing'),
      executor.run('same', [() => {}]).then((value) => assert.equal(typeof value, 'function')),
      executor.run('givesFunction').then((value) => assert.equal(typeof value, 'function')),
      executor.run('sleep', [40], { signal: aborted() }),
      executor.run('waitForAbort', [], { signal: aborted(), gracePeriod: 100 }),
      executor.run('sleep', [300], { timeout: 20, gracePeriod: 0 }),
      executor.run('sleep', [40]),
      executor.run('sleep', [5], { queueTimeout: 1 }),
      executor.run('report', [3], { onProgress() {} }),
      executor.run('report', [3], {
        onProgress() {
          throw new Error('of the listener')
        },
      }),
      executor.run('sleep', [1], { signal: AbortSignal.timeout(60_000) }),
    ]
  }

  for (const isTold of [false, true])
    for (const whenFull of hasQueue ? [undefined, ...POLICIES] : [undefined]) {
      const title = `${whenFull ?? 'no limit'}${isTold ? ', with OpenTelemetry' : ''}`
      test(`each call once, whatever becomes of it (${title})`, async (t) => {
        const options = { name: `counts ${title} of ${name}`, size: 2, concurrency: 2 }
        const executor = make('counts.js', { ...options, ...(whenFull && { maxQueue: 20, whenFull }) })
        const listening = isTold ? meter(t, options.name) : undefined
        // Before the module has loaded, and after.
        const expected = [await outcomesOf(manyCalls(executor)), await outcomesOf(manyCalls(executor))]
        const sum = Object.fromEntries(
          Object.keys(expected[0]).map((key) => [key, expected[0][key] + expected[1][key]]),
        )
        assert.deepEqual(await countsOf(executor, listening), sum)
      })
    }

  test('also where the workers come and go that have them', { skip: !isPool || !hasQueue }, async (t) => {
    const title = `lanes of ${name}`
    const executor = make('counts.js', { name: title, size: 3, balance: 'round-robin' })
    const listening = meter(t, title)
    const rounds = [outcomesOf(manyCalls(executor))]
    for (const size of [1, 2]) {
      executor.resize(size)
      rounds.push(outcomesOf(manyCalls(executor)))
    }
    const sum = { completed: 0, failed: 0, cancelled: 0, refused: 0 }
    for (const counts of await Promise.all(rounds)) for (const key in sum) sum[key] += counts[key]
    assert.deepEqual(await countsOf(executor, listening), sum)
  })

  test('calls that wait for room and leave', { skip: !hasQueue || kind === 'inline' }, async (t) => {
    const options = { name: `left on ${name}`, size: 1, concurrency: 1, maxQueue: 0, whenFull: 'wait' }
    const executor = make('counts.js', options)
    const listening = meter(t, options.name)
    await executor.ready
    const path = testFolder(t)
    const first = executor.run('waitUntil', [path('started'), path('free')])
    const controller = new AbortController()
    const calls = [
      first,
      executor.run('same', [1], { queueTimeout: 1 }),
      executor.run('same', [1], { signal: controller.signal }),
      executor.run('same', [1]),
    ]
    const settled = Promise.allSettled(calls)
    const stream = executor.stream('count', [3])
    const next = stream.next()
    await stream.return()
    await next
    controller.abort()
    await rejection(calls[1])
    const closed = executor.close()
    assert.equal((await rejection(calls[3])).code, 'TW_ERR_CLOSED')
    touch(path('free'))
    await settled
    await closed
    assert.deepEqual(await countsOf(executor, listening), { completed: 1, failed: 2, cancelled: 2, refused: 0 }) // prettier-ignore
  })

  test('inputs that map sends as one: those whose result cannot be sent fail, the others have completed', async (t) => {
    if (!isCopied || isOnQueue) return t.skip('each call goes by itself, or its result is not sent')
    for (const task of ['functionAt', 'functionLaterAt']) {
      const executor = make('counts.js', { size: 1, maxBlock: kind === 'adaptive' ? 0 : undefined })
      for (let i = 0; i < 3; i++) await executor.map('same', numbers(140)) // they are known to be short
      const before = await executor.run('calls')
      const error = await rejection(executor.map(task, numbers(300)))
      assert.equal(error.code, 'TW_ERR_NOT_CLONEABLE')
      const counts = await countsOf(executor)
      const made = (await executor.run('calls')) - before
      // What was under way when the map failed is cancelled. Some of it may have run.
      const { cancelled, completed: all } = counts
      assert.deepEqual(counts, { completed: all, failed: 1, cancelled, refused: 0 })
      const settled = all - (3 * 140 + 1) + 1
      assert.ok(settled <= made && made <= settled + cancelled, `${settled}, ${made} and ${cancelled}`)
      assert.ok(settled + cancelled <= 300)
      const [{ completed }] = executor.stats().workers
      const answered = counts.completed + counts.failed + 1 // with the question how many there were
      assert.ok(answered <= completed && completed <= answered + cancelled, `${answered} ${completed}`)
    }
  })

  test(
    'inputs that map sends as one, whose worker dies half-way',
    { skip: !isPool || !hasQueue },
    async () => {
      for (const onWorkerExit of ['reject', { retries: 1, backoff: 1 }]) {
        const executor = make('counts.js', { size: 1, onWorkerExit, maxBlock: kind === 'adaptive' ? 0 : undefined }) // prettier-ignore
        for (let i = 0; i < 3; i++) await executor.map('same', numbers(140))
        assert.equal((await rejection(executor.map('exitAt', numbers(300)))).code, 'TW_ERR_WORKER_EXITED')
        const { completed, failed, cancelled } = await countsOf(executor)
        const sum = completed + failed + cancelled
        assert.ok(failed >= 1 && completed >= 3 * 140 && sum <= 3 * 140 + 300, `${completed} ${failed} ${cancelled}`) // prettier-ignore
      }
    },
  )

  test('inputs of map that are cancelled or late count as such, the others as what they are', async (t) => {
    const title = `map on ${name}`
    const executor = make('counts.js', { name: title })
    const listening = meter(t, title)
    await executor.ready
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 30)
    const long = isPool ? 60_000 : 500 // what runs here runs to its end
    await rejection(executor.map('sleep', [1, ...new Array(50).fill(long)], { signal: controller.signal }))
    const { completed, failed, cancelled } = await countsOf(executor, listening)
    assert.ok(cancelled > 0 && completed <= 1 && failed === 0, `${completed}, ${failed}, ${cancelled}`)
    await executor.map('sleep', [1, 3000], { timeout: 1000, gracePeriod: 0 }).catch(() => {})
    const after = await countsOf(executor, listening)
    assert.deepEqual([after.cancelled, after.failed - failed], [cancelled, 1])
  })

  test('chunks of the algorithms', async (t) => {
    const title = `chunks on ${name}`
    const executor = make('counts.js', { name: title })
    const listening = meter(t, title)
    await map(executor, 'same', numbers(100), { chunk: 10 })
    assert.equal((await countsOf(executor, listening)).completed, 10)
    await reduce(executor, 'add', numbers(100), { initial: 0, chunk: 10 }).catch(() => {})
    await sort(executor, new Float64Array(numbers(100))).catch(() => {})
    await rejection(map(executor, 'fails', numbers(100), { chunk: 10 }))
    const { failed } = await countsOf(executor, listening)
    assert.ok(failed >= 1, String(failed))
  })

  test('streams, forks and broadcast', { skip: !hasQueue }, async (t) => {
    const title = `streams on ${name}`
    const executor = make('counts.js', { name: title, size: 2 })
    const listening = meter(t, title)
    await executor.ready
    for await (const item of executor.stream('count', [5])) assert.ok(item < 5)
    for await (const item of executor.stream('count', [1000])) if (item === 3) break
    await assert.rejects(async () => {
      for await (const item of executor.stream('countAndFail', [5])) assert.ok(item < 5)
    })
    const controller = new AbortController()
    await assert.rejects(async () => {
      for await (const item of executor.stream('count', [1000], { signal: controller.signal }))
        if (item === 3) controller.abort()
    })
    const streams = await countsOf(executor, listening)
    assert.equal(streams.completed + streams.failed + streams.cancelled, 4)
    assert.equal(streams.failed, 1)
    assert.ok(streams.completed >= 1 && streams.cancelled >= 1, JSON.stringify(streams))
    await executor.run('forks', [3])
    const { length } = await executor.broadcast('same', [1])
    const after = await countsOf(executor, listening)
    assert.equal(after.completed - streams.completed, 1 + 3 + length)
    await rejection(executor.run('forksFailing', []))
    assert.equal((await countsOf(executor, listening)).failed - after.failed, 2)
  })

  test(
    'calls that are tried again count once, also if they are given up before the next try',
    { skip: !isPool || !hasQueue },
    async (t) => {
      const title = `again on ${name}`
      const maxBlock = kind === 'adaptive' ? 0 : undefined
      const onWorkerExit = { retries: 2, backoff: 1 }
      const executor = make('counts.js', { name: title, size: 1, onWorkerExit, maxBlock })
      const listening = meter(t, title)
      await rejection(executor.run('exit'))
      assert.deepEqual(await countsOf(executor, listening), { completed: 0, failed: 1, cancelled: 0, refused: 0 }) // prettier-ignore
      assert.equal(executor.stats().run.count, 1)
      const slow = make('counts.js', { name: title, size: 1, onWorkerExit: { retries: 1, backoff: 60_000 }, maxBlock }) // prettier-ignore
      const dying = rejection(slow.run('exit'))
      await waitUntil(() => slow.stats().workers.some(({ id }) => id > 1) || slow.size === 0)
      await slow.destroy()
      await dying
      assert.equal(slow.stats().run.count, 1)
    },
  )

  test('calls that an executor gives up as it ends', async (t) => {
    const title = `given up on ${name}`
    const executor = make('counts.js', { name: title, size: 1, concurrency: 1 })
    const listening = meter(t, title)
    await executor.ready
    const calls = []
    const ms = isPool ? 60_000 : 1000 // in the own thread it sleeps on, and keeps the program
    const begun = new Promise((resolve) => {
      calls.push(executor.run('tellAndSleep', [ms], { onProgress: resolve }))
    })
    calls.push(...numbers(4).map(() => executor.run('sleep', [ms])))
    const settled = Promise.allSettled(calls)
    await begun
    await executor.destroy()
    await settled
    assert.deepEqual(await countsOf(executor, listening), {
      completed: 0,
      failed: 5,
      cancelled: 0,
      refused: 0,
    })
    if (hasQueue) assert.ok(executor.stats().run.count >= 1)
  })

  test('calls of a module that does not load', async (t) => {
    const title = `broken on ${name}`
    // Callers of a queue do not learn why no worker is there: they wait for one as long as this.
    const executor = make('load-throws.js', { name: title, ...(!hasQueue && { workerTimeout: 1000 }) })
    const listening = meter(t, title)
    await rejection(executor.run('any'))
    await rejection(executor.run('any'))
    assert.equal((await countsOf(executor, listening)).failed, 2)
  })

  test('calls for which a rule throws', { skip: !isPool || !hasQueue }, async (t) => {
    const title = `ruled on ${name}`
    const balance = () => {
      throw new Error('of the rule')
    }
    const executor = make('counts.js', { name: title, balance })
    const listening = meter(t, title)
    await rejection(executor.run('same', [1]))
    assert.equal((await countsOf(executor, listening)).failed, 1)
  })
})
