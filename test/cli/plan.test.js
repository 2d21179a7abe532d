// threadwise plan on a real server: its JSON, what it refuses, and that nothing is left of it when it is interrupted.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { fileExists, testFolder } from '../helpers/files.js'
import { fixture, run, start, stderrSays } from '../helpers/program.js'

const server = fixture('plan/server.js')
const asked = ['plan', server, '--path', '/report=1', '--path', '/health=9', '--rate', '20', '--p99', '500', '--cpus', '0.5,1', '--price', 'cpu=20,gb=3'] // prettier-ignore
const isLinux = process.platform === 'linux'
const limitMs = 150_000

describe('threadwise plan', { skip: !isLinux && 'it needs /proc' }, () => {
  test('gives JSON and nothing else, and a page', async (t) => {
    const page = testFolder(t)('plan.html')
    const { code, stdout, stderr } = await run([...asked, '--json', '-', '--html', page], { limitMs })
    const result = JSON.parse(stdout)
    assert.ok([0, 1, 3].includes(code), stderr)
    const { version, load, calibration, configurations, advice, checks, disturbed } = result
    assert.deepEqual([version, checks], [1, null])
    assert.deepEqual(load, { rate: 20, arrivals: 'poisson', paths: [{ path: '/report', weight: 1 }, { path: '/health', weight: 9 }] }) // prettier-ignore
    const [report, health] = calibration
    assert.deepEqual([report.path, health.path], ['/report', '/health'])
    // A hundred times the work; what Node does for each request besides is in both.
    assert.ok(report.cpuMs > 2 * health.cpuMs && health.cpuMs > 0, JSON.stringify(calibration))
    for (const { spread, at } of calibration) assert.ok(spread >= 0 && at > 0)
    assert.ok(configurations.length >= 3)
    for (const row of configurations) {
      assert.ok(row.containers >= 1 && [0.5, 1].includes(row.cpus) && row.instances >= 1 && row.threads >= 0)
      assert.ok(row.use > 0 && row.holds >= 0 && row.holds <= 1 && row.memoryBytes > 0 && row.price > 0)
      assert.ok(row.p99.low <= row.p99.value && row.p99.value <= row.p99.high && row.p99.low > 0)
      assert.notEqual(row.reason, '')
    }
    assert.equal(code, disturbed !== null ? 3 : advice.configuration === null ? 1 : 0)
    if (code === 3) assert.match(advice.sentence, /^Cannot tell: /)
    if (code === 0) {
      const { containers, cpus, instances, threads } = configurations[0]
      assert.deepEqual(advice.configuration, { containers, cpus, instances, threads })
    }
    const html = readFileSync(page, 'utf8')
    assert.match(html, /Cost against p99/)
    assert.doesNotMatch(html, /<script|NaN|undefined/)
  })

  for (const said of ['Asking for', 'Measuring at'])
    test(`leaves nothing when it is interrupted (${said} ...)`, async (t) => {
      const pidFile = testFolder(t)('pid')
      const { child, ended } = start([...asked, '--json', '-'], { env: { PID_FILE: pidFile }, limitMs })
      await stderrSays(child, new RegExp(said))
      await fileExists(pidFile)
      const pid = Number(readFileSync(pidFile, 'utf8'))
      process.kill(pid, 0)
      child.kill('SIGINT')
      const { code, stdout, stderr } = await ended
      assert.deepEqual([code, stdout], [130, ''])
      assert.match(stderr, /Interrupted before anything was measured/)
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
    })

  test('says which path is refused, and leaves nothing', async (t) => {
    const pidFile = testFolder(t)('pid')
    const { code, stdout, stderr } = await run(['plan', server, '--path', '/missing', '--rate', '5', '--p99', '50'], { env: { PID_FILE: pidFile } }) // prettier-ignore
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /it answered GET \/missing with status 404.*\[TW_ERR_INSTANCE_FAILED\]/)
    assert.throws(() => process.kill(Number(readFileSync(pidFile, 'utf8')), 0), { code: 'ESRCH' })
  })

  test('says that a server ends, does not listen, or that something is missing', async () => {
    const ends = await run(['plan', fixture('measured/tasks.js'), '--rate', '5', '--p99', '50'])
    assert.equal(ends.code, 1)
    assert.match(ends.stderr, /it ended with exit code 0.*\[TW_ERR_INSTANCE_FAILED\]/)
    const usage = async (...args) => {
      const { code, stderr, stdout } = await run(['plan', ...args])
      assert.deepEqual([code, stdout], [2, ''])
      return stderr
    }
    assert.match(await usage('--rate', '5', '--p99', '50'), /file must be the file that starts your server/)
    assert.match(await usage(server, '--p99', '50'), /rate must be given/)
    assert.match(await usage(server, '--rate', '5'), /p99 must be a number of milliseconds/)
    assert.match(await usage(server, '--rate', '5', '--p99', '5', '--json', '-', '--write', 'compose'), /write must be left out beside --json -/) // prettier-ignore
  })
})
