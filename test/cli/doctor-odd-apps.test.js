// threadwise doctor on apps that are seldom tried: where they listen, what they speak, and when they wait and compute in one function.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
import { fixture, start } from '../helpers/program.js'

async function doctor(t, args, { env = {} } = {}) {
  const path = testFolder(t)
  const { stdout, code, stderr } = await start(['doctor', '--json', '-', ...args], {
    cwd: path(''),
    env: { SOCKET_FILE: path('app.sock'), ...env },
  }).ended
  assert.match(stdout, /^\{/, stderr)
  return { code, result: JSON.parse(stdout), stderr }
}

const app = (name) => ['--rate', '20', fixture(`doctor/${name}`)]

// Two at a time: each waits for requests most of its time.
describe('threadwise doctor', { concurrency: 2 }, () => {
  test('sends its requests to a socket file', async (t) => {
    const { code, result } = await doctor(t, app('socket-file.mjs'))
    assert.deepEqual([code, result.problem, result.kind], [0, null, 'server'])
    assert.ok(result.load.requests > 0 && result.load.failed === 0, JSON.stringify(result.load))
    assert.ok(result.functions.some(({ name }) => name === 'burn'))
  })

  test('says of a server that takes HTTP/2 alone what it cannot do', async (t) => {
    const { code, result } = await doctor(t, app('http2-only.mjs'))
    assert.deepEqual([code, result.problem], [1, 'never-listens'])
    assert.match(result.sentence, /takes HTTP\/2 alone, and doctor sends HTTP\/1\.1/)
  })

  test('leaves a server alone that speaks no HTTP', async (t) => {
    const { code, result } = await doctor(t, app('second-server.mjs'))
    assert.deepEqual([code, result.problem, result.kind], [0, null, 'server'])
    assert.ok(result.functions.some(({ name }) => name === 'burn'))
  })

  test('says where an app of two servers listens too, since it asks the first', async (t) => {
    const { result } = await doctor(t, app('figures-first.mjs'))
    assert.match(result.sentence, / It listens at (http:\S+) too, and was looked at by requests to (?!\1 )http:\S+ alone/) // prettier-ignore
  })

  test('says of a function that waits how long it computes beside that', async (t) => {
    const { result } = await doctor(t, app('computes-after-await.mjs'))
    const { verdict, reasons } = result.functions.find(({ name }) => name === 'report')
    assert.equal(verdict, 'waits')
    assert.match(
      reasons.at(-1),
      /^it computes for [\d.]+ ms in a call beside that: make that part a function/,
    )
  })

  test('counts no more failures than requests, and says what to do where all failed', async (t) => {
    const { result } = await doctor(t, ['--path', '/nowhere', ...app('server.mjs')])
    assert.ok(result.load.failed > 0)
    assert.equal(result.load.failed, result.load.requests)
    assert.match(result.sentence, /failed \(status 404\)\. Name a path that answers, with --path\./)
  })

  test('says that a command does not exist', async (t) => {
    const { code, result, stderr } = await doctor(t, ['--', 'threadwise-no-such-command', 'start'])
    assert.deepEqual([code, result.problem], [1, 'exits'])
    assert.match(result.sentence, /it could not be started\); it says: spawn threadwise-no-such-command ENOENT\.$/) // prettier-ignore
    assert.doesNotMatch(stderr, /^ {4}at /m)
  })

  test('says what npm says, and not where its log is', async (t) => {
    const { result } = await doctor(t, ['--', 'npm', 'run', 'absent'], { env: { npm_config_update_notifier: 'false' } }) // prettier-ignore
    assert.match(result.sentence, /it says: npm (error|ERR!) /)
    assert.doesNotMatch(result.sentence, /complete log|code E/)
  })
})
