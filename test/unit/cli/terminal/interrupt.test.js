// A run that does not come to its end after a signal: the next one ends the program. On Windows a signal from outside calls no handler.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const skip = process.platform === 'win32' && 'signals call no handler there'
const module = new URL('../../../../build/cli/terminal/interrupt.js', import.meta.url).href
const program = `
import { runInterruptibly } from ${JSON.stringify(module)}
setInterval(() => {}, 1000)
process.stdout.write('runs')
await runInterruptibly({ note() {}, end() {} }, () => new Promise(() => {}))`

test('a second signal later ends at once what hangs', { skip, timeout: 60_000 }, async (t) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  t.after(() => child.kill('SIGKILL'))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => (said += text))
  await once(child.stdout, 'data')
  // What follows the first within a moment does not count.
  const timer = setInterval(() => child.kill('SIGINT'), 50)
  t.after(() => clearInterval(timer))
  assert.deepEqual(await once(child, 'close'), [130, null])
  assert.equal(said, '\nStopping; what is known so far follows. A second time quits at once.\n')
})
