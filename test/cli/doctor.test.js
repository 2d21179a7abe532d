// threadwise doctor on real apps: what it finds, what it says of apps that it cannot diagnose, and that nothing stays behind.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { livingWith } from '../helpers/processes.js'
import { fixture, start, stderrSays } from '../helpers/program.js'

// Doctor writes what can move beside where it was started, so it is started in a folder of its own.
const cwd = mkdtempSync(join(tmpdir(), 'threadwise-test-'))
after(() => rmSync(cwd, { recursive: true, force: true }))
let runs = 0

/** Runs doctor; afterwards nothing of the app may be left. */
async function doctor(args, { signal = null, at = null } = {}) {
  const marker = `TW_DOCTOR_${process.pid}_${++runs}`
  const { child, ended } = start(['doctor', ...args], { cwd, env: { [marker]: '1' } })
  if (at) {
    await stderrSays(child, at)
    child.kill(signal)
  }
  const end = await ended
  assert.deepEqual(await livingWith(`${marker}=1`), [], 'no process is left')
  return end
}

async function resultOf(args) {
  const { stdout, code, stderr } = await doctor(['--json', '-', ...args])
  assert.match(stdout, /^\{/, stderr)
  return { code, result: JSON.parse(stdout) }
}

const app = (name) => fixture(`doctor/${name}`)

describe('threadwise doctor', () => {
  test('names the function that the event loop is busy with, with its place, its calls and their time', async () => {
    const { code, result } = await resultOf([app('server.mjs'), '--path', '/abc', '--rate', '30'])
    assert.deepEqual([code, result.version, result.kind, result.problem], [0, 1, 'server', null])
    const [first] = result.functions
    assert.deepEqual([first.name, first.line], ['burn', 4])
    assert.match(first.file, /doctor[\\/]server\.mjs$/)
    assert.ok(first.share > 0.5 && first.share <= 1, String(first.share))
    assert.ok(first.callMs > 0 && first.callsPerSecond > 0)
    assert.ok(result.loop.busy > 0 && result.loop.busy <= 1)
    assert.ok(result.loop.delayMs.p99 >= result.loop.delayMs.p50)
    assert.deepEqual(result.load.paths, ['/abc'])
  })

  test('counts calls exactly: twice as many as those of the function that makes two in each call', async () => {
    const { result } = await resultOf([
      '--path',
      '/abcdefgh',
      '--rate',
      '20',
      '--',
      'node',
      app('server.mjs'),
    ])
    const [burn, handler] = ['burn', '(anonymous)'].map((name) => result.functions.find((row) => row.name === name)) // prettier-ignore
    assert.ok(burn.callsPerSecond > 0)
    assert.equal(burn.callsPerSecond, 2 * handler.callsPerSecond)
  })

  test('says of each function whether it can move, and why', async (t) => {
    const out = testFolder(t)('out')
    const { result } = await resultOf([app('traps.mjs'), '--rate', '10', '--out', out])
    const verdicts = {
      audit: ['cannot', /argument 1 is a request \(IncomingMessage\)/],
      translate: ['cannot', /`seen`|`calls`/],
      normalize: ['move after change', /changed its arguments/],
      hash: ['use the async version', /pbkdf2Sync; pbkdf2 does it/],
      price: ['move after change', /`this`/],
      secret: ['move', /^(\d+) of \1 real calls gave the same alone/],
    }
    const found = result.functions.filter(({ name }) => name in verdicts)
    assert.ok(found.length >= 3, result.functions.map(({ name }) => name).join())
    for (const { name, verdict, reasons } of found) {
      assert.equal(verdict, verdicts[name][0], `${name}: ${reasons.join('; ')}`)
      assert.match(reasons.join('; '), verdicts[name][1])
    }
    for (const { name, verdict } of result.functions)
      if (verdict === 'move') assert.ok(['secret', 'burn'].includes(name), name)
  })

  test('proves what can move, and writes what measure runs as it is, without a word of a real call', async (t) => {
    const out = testFolder(t)('out')
    const page = `${out}.html`
    const { result } = await resultOf([app('moves.mjs'), '--rate', '10', '--out', out, '--html', page])
    const rowOf = (wanted) => result.functions.find(({ name }) => name === wanted)
    const render = rowOf('renderReport')
    assert.deepEqual([render.verdict, render.task.name], ['move', 'renderReport'], render.reasons.join())
    assert.equal(rowOf('totalOf').verdict, 'move', 'a function without braces')
    assert.match(render.reasons[0], /(\d+) of \1 real calls gave the same alone/)
    for (const file of result.files) assert.equal(statSync(join(cwd, file)).mode & 0o777, 0o600, file)
    assert.equal(readFileSync(join(out, '.gitignore'), 'utf8'), '*\n')
    const html = readFileSync(page, 'utf8')
    assert.match(html, /<title>renderReport, \d+\u00a0%, [^<]*moves\.mjs:\d+<\/title>/, 'the flame graph')
    assert.doesNotMatch(html, /<script|https?:\/\/|Lovelace|geheim/)
    const inputs = readFileSync(join(out, 'renderReport.inputs.json'), 'utf8')
    assert.doesNotMatch(inputs, /Lovelace|geheim|20260101/)
    assert.match(inputs, /"title"/)
    const measured = start(['measure', render.task.workload, '--quick', '--rounds', '2', '--budget', '8', '--executors', 'threads', '--sizes', '1', '--json', '-'], { cwd }) // prettier-ignore
    const { stdout, stderr } = await measured.ended
    assert.match(stdout, /^\{/, stderr)
    assert.ok(JSON.parse(stdout).cells.length > 0)
  })

  test('writes nothing where inputs are not wanted, but the module and the workload', async (t) => {
    const out = testFolder(t)('out')
    await resultOf([app('moves.mjs'), '--rate', '10', '--out', out, '--no-inputs'])
    assert.ok(!readdirSync(out).some((name) => name.includes('.inputs.')), readdirSync(out).join())
    assert.ok(readdirSync(out).includes('renderReport.tasks.mjs'))
  })

  test('profiles the whole run of a script', async () => {
    const { code, result } = await resultOf([app('script.mjs')])
    assert.deepEqual([code, result.kind, result.problem], [0, 'script', null])
    assert.equal(result.functions[0].name, 'spin')
  })

  const bad = [
    [
      'throws.mjs',
      [],
      'exits',
      /ended before it listened on a port \(exit code 1\); it says: Error: no database/,
    ],
    ['ends.mjs', ['--path', '/'], 'exits', /ended before it listened on a port \(exit code 0\)/],
    ['ends.mjs', [], 'exits', /too short to say anything/],
    ['cluster.mjs', [], 'cluster', /forks a cluster/],
  ]
  for (const [name, args, problem, sentence] of bad) {
    test(`says what is wrong with ${name} ${args.join(' ')}, exit code and JSON included`, async () => {
      const { code, result } = await resultOf([app(name), ...args])
      assert.deepEqual([code, result.problem, result.functions], [1, problem, []])
      assert.match(result.sentence, sentence)
    })
  }

  test('says that nobody sent a request', async () => {
    const { code, result } = await resultOf([app('server.mjs'), '--for', '4'])
    assert.deepEqual([code, result.problem], [1, 'no-requests'])
  })

  test('says how many requests failed', async () => {
    const { result } = await resultOf([app('server.mjs'), '--path', '/nowhere', '--rate', '20'])
    assert.match(result.sentence, / (\d+) of \1 requests failed \(status 404\)\./)
  })

  test('refuses a file that does not exist', async () => {
    const { code, stderr } = await doctor(['missing.mjs'])
    assert.equal(code, 2)
    assert.match(stderr, /a file that exists/)
  })

  for (const name of ['server.mjs', 'blocks.mjs'])
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'])
      test(`leaves nothing of ${name} behind after ${signal}`, async () => {
        const end = await doctor([app(name)], { signal, at: /looking at the event loop/ })
        assert.equal(signal === 'SIGKILL' ? end.signal : end.code, signal === 'SIGKILL' ? signal : 130)
      })

  test('says that the event loop of the app does not turn', async () => {
    const { code, result } = await resultOf([app('blocks.mjs')])
    assert.deepEqual([code, result.problem], [1, 'blocked'])
  })

  test('leaves no folder behind', async () => {
    const own = () => readdirSync(tmpdir()).filter((name) => name.startsWith('threadwise-doctor-'))
    const before = own()
    await doctor([app('ends.mjs')])
    assert.deepEqual(
      own().filter((name) => !before.includes(name)),
      [],
    )
  })
})
