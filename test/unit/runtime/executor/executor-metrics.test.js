// The text that a scraper of Prometheus reads.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { prometheusText } from '../../../../dist/index.js'

const nothing = { count: 0, mean: null, p50: null, p99: null, max: null }
const base = { kind: 'threads', name: 'a', size: 1, queued: 2, running: 1, completed: 5, failed: 1, cancelled: 0, refused: 4, wait: nothing, workers: [] } // prettier-ignore
const stats = { ...base, run: { count: 4, mean: 250, p50: 200, p99: 500, max: 501 } }
const worker = { id: 3, name: 'a-3', threadId: 3, state: 'up', task: null, running: 0, completed: 7, startedAt: 0, cpu: 1500, heapBytes: 2048, rssBytes: null, eventLoopUtilization: 0.5 } // prettier-ignore

test('counts, seconds and bytes, each metric with its help and type', () => {
  const lines = prometheusText({ ...stats, workers: [worker] }).split('\n')
  for (const line of [
    '# TYPE threadwise_calls_total counter',
    'threadwise_calls_total{executor="a",kind="threads",outcome="failed"} 1',
    'threadwise_calls_refused_total{executor="a",kind="threads"} 4',
    '# TYPE threadwise_call_run_seconds summary',
    'threadwise_call_run_seconds{executor="a",kind="threads",quantile="0.99"} 0.5',
    'threadwise_call_run_seconds_sum{executor="a",kind="threads"} 1',
    'threadwise_call_run_seconds_count{executor="a",kind="threads"} 4',
    'threadwise_call_wait_seconds{executor="a",kind="threads",quantile="0.5"} NaN',
    'threadwise_worker_cpu_seconds_total{executor="a",kind="threads",worker="3"} 1.5',
    'threadwise_worker_heap_bytes{executor="a",kind="threads",worker="3"} 2048',
    'threadwise_worker_blocked{executor="a",kind="threads",worker="3"} 0',
  ])
    assert.ok(lines.includes(line), line)
  assert.equal(lines.at(-1), '') // the last line ends, too
  assert.ok(!lines.some((line) => line.includes('resident')), 'a thread has no resident memory of its own')
})

test('every line has the form that the format demands, and no series comes twice', () => {
  const text = prometheusText([stats, { ...stats, name: 'a' }, { ...stats, name: 'q"\\\n' }])
  const form = /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\} (NaN|[\d.e+-]+))$/
  const lines = text.trimEnd().split('\n')
  assert.deepEqual(lines.filter((line) => !form.test(line)), []) // prettier-ignore
  assert.equal(new Set(lines).size, lines.length)
  assert.ok(text.includes('executor="a#2"') && text.includes('executor="q\\"\\\\\\n"'))
})

test('an executor is asked for its stats, and anything else is refused', () => {
  assert.equal(prometheusText({ stats: () => stats }), prometheusText([stats]))
  for (const wrong of [undefined, null, 1, {}, [undefined], { stats: () => 1 }])
    assert.throws(() => prometheusText(wrong), { code: 'TW_ERR_INVALID_OPTION' })
})
