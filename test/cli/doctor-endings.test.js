// threadwise doctor on apps that it cannot diagnose, and when it is stopped: what it says, and that nothing stays behind.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startApp } from '../../build/measure/doctor/start-app.js'
import { app, doctorCommand } from '../helpers/doctor-command.js'
import { stderrSays } from '../helpers/program.js'

const { doctor, resultOf } = doctorCommand()

// All of them wait for most of the time.
describe('threadwise doctor', { concurrency: 2 }, () => {
  test('says that the event loop of the app does not turn', async () => {
    const { code, result } = await resultOf([app('blocks.mjs')])
    assert.deepEqual([code, result.problem], [1, 'blocked'])
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

  test('ends no app that ends by itself, of many, while V8 still works for it', async () => {
    const { signal } = new AbortController()
    for (let left = 40; left > 0; left--) {
      const started = await startApp({ command: [process.execPath, app('ends.mjs')], env: {}, signal })
      const { kind, code, by } = await started.whatItIs(60_000)
      await started.stop()
      assert.deepEqual([kind, code, by], ['ended', 0, null], started.lastWords())
    }
  })

  test('says that nobody sent a request', async () => {
    const { code, result } = await resultOf([app('server.mjs'), '--for', '4'])
    assert.deepEqual([code, result.problem], [1, 'no-requests'])
  })

  test('refuses a file that does not exist', async () => {
    const { code, stderr } = await doctor(['missing.mjs'])
    assert.equal(code, 2)
    assert.match(stderr, /a file that exists/)
  })

  for (const name of ['server.mjs', 'blocks.mjs'])
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'])
      test(`leaves nothing of ${name} behind after ${signal}`, async () => {
        const end = await doctor([app(name)], {
          async meanwhile(child) {
            await stderrSays(child, /looking at the event loop/)
            child.kill(signal)
          },
        })
        assert.equal(signal === 'SIGKILL' ? end.signal : end.code, signal === 'SIGKILL' ? signal : 130)
      })
})
