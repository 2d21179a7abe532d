// threadwise doctor on real apps: which functions they are busy with, and how often these are called. What can move is in doctor.test.js.
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { app, doctorCommand } from '../helpers/doctor-command.js'

const { resultOf } = doctorCommand()

describe('threadwise doctor', () => {
  let code, result
  before(async () => {
    const command = ['--', 'node', app('server.mjs')]
    ;({ code, result } = await resultOf(['--path', '/nowhere', '--rate', '20', ...command]))
  })

  test('names the function that the event loop is busy with, with its place, its calls and their time', () => {
    assert.deepEqual([code, result.version, result.kind, result.problem], [0, 1, 'server', null])
    const [first] = result.functions
    assert.deepEqual([first.name, first.line], ['burn', 4])
    assert.match(first.file, /doctor[\\/]server\.mjs$/)
    assert.ok(first.share > 0.5 && first.share <= 1, String(first.share))
    assert.ok(first.callMs > 0 && first.callsPerSecond > 0)
    assert.ok(result.loop.busy > 0 && result.loop.busy <= 1)
    assert.ok(result.loop.delayMs.p99 >= result.loop.delayMs.p50)
    assert.deepEqual(result.load.paths, ['/nowhere'])
  })

  test('counts calls exactly: twice as many as those of the function that makes two in each call', () => {
    const [burn, handler] = ['burn', 'createServer callback'].map((name) => result.functions.find((row) => row.name === name)) // prettier-ignore
    assert.ok(burn.callsPerSecond > 0)
    assert.equal(burn.callsPerSecond, 2 * handler.callsPerSecond)
  })

  test('says how many requests failed', () => {
    assert.match(result.sentence, / (\d+) of \1 requests failed \(status 404\)\./)
  })

  test('profiles the whole run of a script', async () => {
    const { code, result } = await resultOf([app('script.mjs')])
    assert.deepEqual([code, result.kind, result.problem], [0, 'script', null])
    assert.equal(result.functions[0].name, 'spin')
  })
})
