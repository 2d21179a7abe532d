// The number of instances follows the load.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { serveCommand } from '../helpers/serve-command.js'
import { loadThatRuns, program, service } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 90_000 }
const busy = program(
  'hello',
  `server.prependListener('request', () => { for (const end = performance.now() + 5; performance.now() < end; ); })`,
)
const scaling = { min: 1, max: 2, scaleInterval: 250, scaleUp: 0.6, instances: undefined }
const isScaling = ({ type }) => type === 'scaling'

test('load: one more; quiet: one less; no request is lost', limit, async (t) => {
  // The rule must not take the budget of this machine, which other tests may use up, for that of the service.
  process.env.THREADWISE_CPUS = '64'
  t.after(() => delete process.env.THREADWISE_CPUS)
  const { service: server, url, seen, events } = await service(t, busy, scaling)
  assert.deepEqual(server.status().scaling, { min: 1, max: 2, busy: null, open: null })
  assert.equal(server.status().instances.length, 1)
  const [more, second] = [seen(isScaling), seen(({ type }) => type === 'ready')]
  const load = await loadThatRuns(url, { connections: 8 })
  const { from, to, found } = await more
  assert.deepEqual([from, to], [1, 2])
  assert.match(found, /^they are busy \d+ % of the time$/)
  await second
  const less = seen(isScaling)
  const { errors } = await load.stop()
  assert.equal(errors, 0)
  assert.deepEqual(await less.then(({ from, to }) => [from, to]), [2, 1])
  await seen(({ type }) => type === 'gone')
  assert.equal(server.status().instances.length, 1)
  assert.equal(events.filter(isScaling).length, 2)
})

test('where the CPU budget is used up there are no more', limit, async (t) => {
  process.env.THREADWISE_CPUS = '0.1'
  t.after(() => delete process.env.THREADWISE_CPUS)
  const { service: server, url } = await service(t, busy, scaling)
  const load = await loadThatRuns(url, { connections: 8 })
  const isBusy = () => server.status().scaling.busy > 0.9
  for (let looks = 0; looks < 8; looks++) {
    await waitUntil(isBusy, 'they are busy')
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  assert.equal(server.status().wanted, 1)
  await load.stop()
})

test('many open requests: one more, though the loops are idle', limit, async (t) => {
  process.env.THREADWISE_CPUS = '64'
  t.after(() => delete process.env.THREADWISE_CPUS)
  const waits = program('hello', `server.removeAllListeners('request').on('request', (_, answer) => setTimeout(() => answer.end(), 300))`) // prettier-ignore
  // Twice a look that is not answered within a second, on a machine that does much else, would count as busy.
  const { url, seen } = await service(t, waits, { ...scaling, scaleInterval: 1500, scaleQueue: 3 })
  const more = seen(isScaling)
  const load = await loadThatRuns(url, { connections: 8 })
  const { from, to, found } = await more
  assert.equal((await load.stop()).errors, 0)
  assert.deepEqual([from, to], [1, 2])
  // The first: it was held up so long that it did not answer, which counts as busy.
  assert.match(found, /^they are busy (100 % of the time, with 0|\d+ % of the time, with [4-8]) requests open in each$/) // prettier-ignore
})

test('by hand it can be changed within the limits', limit, async (t) => {
  const { service: server } = await service(t, program('hello'), { ...scaling, scaleInterval: 60_000 })
  await server.scale(2)
  assert.equal(server.status().instances.length, 2)
  await assert.rejects(server.scale(3), { code: 'TW_ERR_INVALID_OPTION', message: /from 1 to 2/ })
})

test('the command line: what it says, and what status shows', limit, async (t) => {
  const args = [
    '--min',
    '1',
    '--max',
    '2',
    '--scale-interval',
    '250',
    '--scale-up',
    '0.6',
    '--scale-down',
    '0.2',
  ]
  const { child, ended, said, run, url } = await serveCommand(t, {
    ...{ text: busy, instances: 1, args, env: { THREADWISE_CPUS: '64' } },
  })
  const load = await loadThatRuns(url, { connections: 8 })
  await said(/2 instances from now on, not 1: they are busy \d+ % of the time/)
  await said(/ serves\n/, 2)
  const { stdout } = await run('status', 'server')
  assert.match(stdout, /scaling: 1 to 2 instances, busy \d+ % of the time/)
  await load.stop()
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
})
