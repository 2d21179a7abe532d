// Times in the form of cron: which come next, what is refused, and the timer for them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { checkCron, createCron } from '../../../../build/serve/apps/cron.js'
import { startAutoReload } from '../../../../build/serve/apps/auto-reload.js'

const shown = (date) => {
  const two = (value) => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`
}
const next = (text, after) => shown(createCron(text).nextRun(new Date(after.replace(' ', 'T'))))

describe('the next time', () => {
  for (const [text, after, expected] of [
    ['0 4 * * *', '2026-11-21 03:59', '2026-11-21 04:00'],
    ['0 4 * * *', '2026-11-21 04:00', '2026-11-22 04:00'],
    ['* * * * *', '2026-11-21 04:00', '2026-11-21 04:01'],
    ['*/15 * * * *', '2026-11-21 04:46', '2026-11-21 05:00'],
    ['5/20 * * * *', '2026-11-21 04:26', '2026-11-21 04:45'],
    ['10-30/10,50 * * * *', '2026-11-21 04:30', '2026-11-21 04:50'],
    ['0 0 1 * *', '2026-12-01 00:00', '2027-01-01 00:00'],
    ['0 0 31 * *', '2026-11-21 00:00', '2026-12-31 00:00'],
    ['0 0 29 2 *', '2026-11-21 00:00', '2028-02-29 00:00'],
    ['0 12 * * 1-5', '2026-11-20 12:00', '2026-11-23 12:00'], // Friday to Monday
    ['0 12 * * MON', '2026-11-21 12:00', '2026-11-23 12:00'],
    ['0 12 * * 7', '2026-11-21 12:00', '2026-11-22 12:00'],
    ['0 12 * * 0', '2026-11-21 12:00', '2026-11-22 12:00'],
    ['0 0 * feb,mar *', '2026-11-21 00:00', '2027-02-01 00:00'],
    ['0 0 13 * fri', '2026-11-21 00:00', '2026-11-27 00:00'], // one of both is enough
    ['0 0 */2 * mon', '2026-11-21 00:00', '2026-11-23 00:00'], // a star asks for both
  ]) {
    test(`of ${text} after ${after} is ${expected}`, () => assert.equal(next(text, after), expected))
  }
})

describe('refused is', () => {
  for (const text of [
    ...['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * * 13 *', '* * * * 8'],
    ...[
      '5-1 * * * *',
      '*/0 * * * *',
      'a * * * *',
      '1, * * * *',
      '*-5 * * * *',
      '-1 * * * *',
      '1.5 * * * *',
      '0 0 31 2 *',
      '@daily',
    ],
  ]) {
    test(JSON.stringify(text), () =>
      assert.throws(() => checkCron(text), { code: 'TW_ERR_INVALID_OPTION', message: /^cron must be/ }),
    )
  }
  test('what is no text', () => assert.throws(() => checkCron(4), { code: 'TW_ERR_INVALID_OPTION' }))
})

/** Minutes that the clock goes on, in steps of one. */
function goOn(t, minutes) {
  for (let minute = 0; minute < minutes; minute++) t.mock.timers.tick(60_000)
}

test('it acts at each of its times, once, also where the next is further away than a timer goes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: new Date(2026, 10, 21, 3, 58) })
  const times = []
  const cron = createCron('0 4,5 * * *', () => times.push(shown(new Date())))
  goOn(t, 130)
  assert.deepEqual(times, ['2026-11-21 04:00', '2026-11-21 05:00'])
  cron.stop()
  goOn(t, 24 * 60)
  assert.equal(times.length, 2)
  const far = []
  const yearly = createCron('0 0 1 3 *', () => far.push(shown(new Date())))
  for (let day = 0; day < 120; day++) t.mock.timers.tick(86_400_000)
  assert.equal(far.length, 1)
  yearly.stop()
})

test('a timer that comes too early by the clock waits again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = new Date(2026, 10, 21, 3, 59).getTime()
  const RealDate = Date
  t.after(() => (globalThis.Date = RealDate))
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      super(...(parts.length === 0 ? [now] : parts))
    }
    static now = () => now
  }
  let times = 0
  const cron = createCron('0 4 * * *', () => times++)
  now += 30_000 // the clock was put back meanwhile
  t.mock.timers.tick(60_000)
  assert.equal(times, 0)
  now += 30_000
  t.mock.timers.tick(30_000)
  assert.equal(times, 1)
  cron.stop()
})

test('where clocks are put forward a time that is left out comes right after, and one that comes twice counts once', () => {
  const script = `
    import { createCron } from '${import.meta.resolve('../../../../build/serve/apps/cron.js')}'
    const next = (text, after) => createCron(text).nextRun(new Date(after)).toISOString()
    console.log(next('30 2 * * *', '2026-03-28T12:00Z'), next('30 2,14 * * *', '2026-10-25T00:30Z'), next('*/30 * * * *', '2026-10-25T00:30Z'))`
  const env = { ...process.env, TZ: 'Europe/Berlin' }
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    env,
    encoding: 'utf8',
  })
  assert.equal(stdout, '2026-03-29T01:00:00.000Z 2026-10-25T13:30:00.000Z 2026-10-25T01:00:00.000Z\n')
})

test('a service is reloaded at the times of its plan; what goes wrong is said, and the next time comes', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: new Date(2026, 10, 21, 3, 58) })
  let reloads = 0
  const said = []
  const service = {
    reload() {
      reloads++
      return Promise.reject(new Error('broken'))
    },
  }
  const plan = { file: import.meta.filename, cron: '* * * * *', watch: false }
  const end = startAutoReload(service, plan, (text) => said.push(text))
  goOn(t, 2)
  await Promise.resolve()
  assert.equal(reloads, 2)
  assert.deepEqual(said.slice(0, 2), ['cron * * * * *: reloading', 'cron * * * * *: reloading'])
  assert.ok(said.includes('broken'))
  end()
  goOn(t, 5)
  assert.equal(reloads, 2)
})
