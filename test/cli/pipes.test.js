// A reader that has seen enough closes the pipe.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { testFolder } from '../helpers/files.js'
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

describe('a full disk', { skip: !existsSync('/dev/full') && 'there is no /dev/full' }, () => {
  for (const args of [['list'], ['status', '--json'], ['pools', '--json'], ['cpus'], ['--help']])
    test(`is a failure for ${args.join(' ')}, told in a line`, async (t) => {
      const path = testFolder(t) // services of this machine have lines of their own
      const env = { XDG_RUNTIME_DIR: path('run'), XDG_STATE_HOME: path('state') }
      const { code, stderr } = await run(args, { via: shell('> /dev/full'), env })
      assert.equal(code, 1)
      assert.match(stderr, /^threadwise: standard output cannot be written: ENOSPC: [^\n]*\n$/)
    })

  test('is told with the name of the file', async () => {
    const { code, stderr } = await run([...measure, '--json', '/dev/full'])
    assert.equal(code, 1)
    assert.match(stderr, /^threadwise: \/dev\/full is not written: ENOSPC: .*\n$/m)
  })
})

test('the program starts by its own name', { skip: skipWithoutShell() }, async () => {
  const { code } = await run([], { via: ['sh', '-c', `"$0" --version`, program] })
  assert.equal(code, 0)
})

function skipWithoutShell() {
  return process.platform === 'win32' ? 'needs sh' : false
}
