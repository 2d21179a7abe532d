// A reader that has seen enough closes the pipe.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fixture, measuredCodes, program, run, smallInline, start } from '../helpers/program.js'

const measure = ['measure', fixture('measured/tasks.js'), '--task', 'add', ...smallInline]
const shell = (script) => ['sh', '-c', `"$@" ${script}`, 'sh']

describe('a closed pipe', () => {
  test('is no failure for cpus', { skip: skipWithoutShell() }, async () => {
    const { code, stderr, stdout } = await run(['cpus'], { via: shell('| head -n 1') })
    assert.deepEqual([code, stderr], [0, ''])
    assert.match(stdout, /^This process may use .*\n$/)
  })

  for (const [title, args] of [
    ['measure', measure],
    ['measure --json -', [...measure, '--json', '-']],
  ]) {
    test(`is no failure for ${title}`, async () => {
      const { child, ended } = start(args)
      child.stdout.destroy()
      const { code, stderr } = await ended
      assert.ok(measuredCodes.includes(code), `exit code ${code}: ${stderr}`)
      assert.doesNotMatch(stderr, /EPIPE/)
    })
  }

  test('of the progress does not end the measurement', async () => {
    const { child, ended } = start([...measure, '--json', '-'])
    child.stderr.destroy()
    const { code, stdout } = await ended
    assert.ok(measuredCodes.includes(code), `exit code ${code}`)
    assert.equal(JSON.parse(stdout).complete, true)
  })
})

test('the program starts by its own name', { skip: skipWithoutShell() }, async () => {
  const { code } = await run([], { via: ['sh', '-c', `"$0" --version`, program] })
  assert.equal(code, 0)
})

function skipWithoutShell() {
  return process.platform === 'win32' ? 'needs sh' : false
}
