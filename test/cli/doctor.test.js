// threadwise doctor on real apps: which of their functions can move, and what it writes for them. Its proofs compare how long calls take.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { app, doctorCommand } from '../helpers/doctor-command.js'
import { testFolder } from '../helpers/files.js'
import { freePort } from '../helpers/free-port.js'
import { start, stderrSays } from '../helpers/program.js'

const { cwd, resultOf } = doctorCommand()

/** One after the other, until doctor has seen enough and has ended the app. */
async function sendRequests(child, port) {
  await stderrSays(child, /waiting for your requests/)
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
  while (child.exitCode === null && child.signalCode === null) await ask().catch(() => delay(20))
}

describe('threadwise doctor', () => {
  test('says of each function whether it can move, and why', async (t) => {
    const out = testFolder(t)('out')
    const { result } = await resultOf([app('traps.mjs'), '--rate', '25', '--out', out])
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
    const { result } = await resultOf([app('moves.mjs'), '--rate', '25', '--out', out, '--html', page])
    assert.equal(result.problem, null, result.sentence)
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
    const measured = start(['measure', render.task.workload, '--quick', '--rounds', '1', '--budget', '8', '--executors', 'threads', '--sizes', '1', '--json', '-'], { cwd }) // prettier-ignore
    const { stdout, stderr } = await measured.ended
    assert.match(stdout, /^\{/, stderr)
    assert.ok(JSON.parse(stdout).cells.length > 0)
  })

  test('writes nothing where inputs are not wanted, but the module and the workload', async (t) => {
    const out = testFolder(t)('out')
    const port = String(await freePort())
    const { result } = await resultOf([app('moves.mjs'), '--for', '8', '--out', out, '--no-inputs'], {
      env: { PORT: port },
      meanwhile: (child) => sendRequests(child, port),
    })
    assert.ok(!readdirSync(out).some((name) => name.includes('.inputs.')), readdirSync(out).join())
    const told = result.functions.map(({ name, reasons }) => `${name}: ${reasons.join('; ')}`)
    assert.ok(readdirSync(out).includes('renderReport.tasks.mjs'), `${result.sentence} ${told.join('. ')}`)
  })
})
