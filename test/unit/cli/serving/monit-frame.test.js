// What monit shows: no line wider than the terminal, not more lines than it has, nothing that steers it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monitLines, screenFrame, sparkline } from '../../../../build/cli/serving/run-monit.js'

const load = { requests: 3, errors: 1, open: 0, perSecond: 1.5, p50: 2, p99: 30, loopDelay: 1, cpu: 0.25, cpuMs: 1500, rss: 9e7, heapUsed: 8, totalMs: 30, within: {} } // prettier-ignore
const now = Date.now()
const instance = { id: 1, pid: 100, state: 'serving', startedAt: now, readyAt: now, load }
const status = {
  ...{
    version: 1,
    name: 'web',
    kind: 'server',
    file: '/a/\x1b[31mred\n.js',
    pid: 1,
    state: 'degraded',
    wanted: 3,
    startedAt: now,
  },
  ...{ reloads: 0, crashes: 1, lastProblem: 'it died' },
  instances: [instance, { ...instance, id: 2, load: null }],
}

test('a screen', () => {
  const frame = screenFrame(status, { columns: 40, rows: 5, color: false })
  assert.ok(frame.startsWith('\x1b[H') && frame.endsWith('\x1b[J'))
  const lines = frame.slice(3, -3).split('\r\n')
  assert.equal(lines.length, 5)
  for (const line of lines) assert.ok(line.endsWith('\x1b[K') && line.length <= 43 && !line.slice(0, -3).includes('\x1b'), line) // prettier-ignore
})

test('colours: bold heads, yellow trouble', () => {
  const frame = screenFrame(status, { columns: 200, rows: 50, color: true })
  assert.match(frame, /\x1b\[1mINSTANCE/) // eslint-disable-line no-control-regex -- colours are what is looked for
  assert.match(frame, /\x1b\[33mlast problem/) // eslint-disable-line no-control-regex
  assert.match(frame, /2 of 3 serve, 1\.5 requests\/s, 0\.25 CPUs/)
})

test('plain lines', () => {
  const lines = monitLines(status, new Date(0)).trimEnd().split('\n')
  assert.equal(lines[0], '1970-01-01T00:00:00.000Z web degraded, 2 of 3 serve, 1.5 requests/s, 0.25 CPUs')
  assert.equal(lines.length, 4)
  assert.match(lines[3], /no answer$/)
})

test('at 80 columns CPU and memory are there, and no line is cut', () => {
  const long = { ...instance, pid: 1234567, load: { ...load, requests: 123456789, p50: 1234, p99: 98765 } }
  const frame = screenFrame({ ...status, instances: [long] }, { columns: 80, rows: 24, color: false })
  const lines = frame.slice(3, -3).split('\r\n').map((line) => line.slice(0, -3)) // prettier-ignore
  assert.match(
    lines.find((line) => line.startsWith('INSTANCE')),
    /REQ\/S +P99 .*CPU +MEMORY$/,
  )
  assert.match(
    lines.find((line) => line.includes('1234567')),
    /98765 ms .*25 % +86 MB$/,
  )
})

test('at 80 columns a long problem goes on in the next line', () => {
  const lastProblem = `Instance 1 (process 1234567) is to be replaced: ${'/a/very/long/path'.repeat(5)}, 3 times in a row (health).`
  const frame = screenFrame({ ...status, lastProblem }, { columns: 80, rows: 24, color: false })
  const lines = frame.slice(3, -3).split('\r\n').map((line) => line.slice(0, -3)) // prettier-ignore
  const first = lines.findIndex((line) => line.startsWith('last problem'))
  const last = lines.findIndex((line) => line.startsWith('INSTANCE'))
  const text = lines.slice(first, last).map((line) => line.trim())
  assert.equal(text.join('').replaceAll(' ', ''), `last problem: ${lastProblem}`.replaceAll(' ', ''))
  assert.ok(lines.every((line) => line.length <= 80))
})

test('a history is a line of bars, the last ones where there is no room for all', () => {
  assert.equal(sparkline([0, 1, 2, 4, 8], 80), '▁▂▃▅█')
  assert.equal(sparkline([8, 8, 0, 8], 2), '▁█')
  assert.equal(sparkline([0, 0], 80), '▁▁')
  const before = { ...status, instances: [{ ...instance, load: { ...load, perSecond: 3 } }] }
  const frame = screenFrame(status, { columns: 80, rows: 24, color: false }, [before, status])
  assert.match(frame, /requests\/s █▅ up to 3\.0/)
})
