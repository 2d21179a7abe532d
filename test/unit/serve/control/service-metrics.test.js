// The figures of services as a scraper of Prometheus reads them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serviceMetrics } from '../../../../dist/cluster.js'

test('the text for Prometheus: each metric once, with its type', () => {
  const within = { 5: 1, 10: 2 }
  const load = { requests: 3, errors: 1, open: 0, perSecond: 1, p50: 2, p99: 3, loopDelay: null, cpu: 0, cpuMs: 1500, rss: 9, heapUsed: 8, totalMs: 30, within } // prettier-ignore
  const instance = { id: 7, pid: 1, state: 'serving', startedAt: 0, readyAt: 1, load }
  const status = { version: 1, name: 'web', wanted: 2, reloads: 0, crashes: 4, instances: [instance, { ...instance, id: 8, load: null }] } // prettier-ignore
  const lines = serviceMetrics([status, { ...status, name: 'other' }])
    .trimEnd()
    .split('\n')
  const types = lines.filter((line) => line.startsWith('# TYPE')).map((line) => line.split(' ')[2])
  assert.equal(new Set(types).size, types.length)
  assert.ok(types.length >= 9)
  for (const line of [
    'threadwise_service_crashes_total{service="web"} 4',
    'threadwise_service_serving{service="other"} 2',
    'threadwise_instance_cpu_seconds_total{service="web",instance_id="7"} 1.5',
    'threadwise_instance_request_duration_seconds_bucket{service="web",instance_id="7",le="0.01"} 2',
    'threadwise_instance_request_duration_seconds_sum{service="web",instance_id="7"} 0.03',
  ])
    assert.ok(lines.includes(line), line)
  assert.ok(!lines.some((line) => line.includes('instance_id="8"') || line.includes('loop_delay')))
  assert.throws(() => serviceMetrics([null]), { code: 'TW_ERR_INVALID_OPTION' })
  assert.match(serviceMetrics({ ...status, name: 'a"b' }), /wanted\{service="a\\"b"\} 2\n/)
  assert.match(serviceMetrics({ ...status, instances: [] }), /wanted\{service="web"\} 2\n/)
})
