// What an app writes, or says of itself, steers no terminal of whoever looks at it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { program as threadwise } from '../helpers/program.js'
import { works } from '../helpers/serve-command.js'
import { program } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

/** Sets the title, clears the screen, goes back to the begin of the line, turns the direction of writing. */
const EVIL = '\x1b]0;owned\x07\x1b[2J\rall is well\u202e'
const isEvil = (text) => /\x1b\]|\x1b\[2J|\r(?!\n)|\u202e/.test(text) // eslint-disable-line no-control-regex -- what is looked for

/** The output of a command on a terminal. */
function onTerminal(words, env) {
  return new Promise((resolve) => {
    const command = [process.execPath, threadwise, ...words].join(' ')
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...process.env, ...env, TERM: 'xterm' },
    })
    let text = ''
    child.stdout.on('data', (data) => (text += data))
    child.on('close', () => resolve(text))
  })
}

test('in logs, list, status and the error of a start', limit, async (t) => {
  if (!(await works('script', ['-qec', 'true', '/dev/null']))) return t.skip('no script(1)')
  const { run, path, env, logOf } = await background(t)
  const evil = JSON.stringify(EVIL)
  writeFileSync(path, program('hello', `console.log(${evil} + 'written')`))
  assert.equal((await run('serve', path, '-i', '1', '--name', 'web', '--daemon')).code, 0)
  await waitUntil(() => logOf('web').includes('written'))
  assert.ok(isEvil(logOf('web')), 'the file has it as it was')
  const logs = await onTerminal(['logs', 'web'], env)
  assert.ok(logs.includes('written') && !isEvil(logs), JSON.stringify(logs))
  writeFileSync(path, `console.error(${evil}); throw new Error(${evil})`)
  for (const words of [['reload', 'web'], ['status', 'web'], ['list']]) {
    const text = await onTerminal(words, env)
    assert.ok(text.length > 0 && !isEvil(text), JSON.stringify(text))
  }
  assert.equal((await run('stop', 'web')).code, 0)
  const failed = await onTerminal(['start', 'web'], env)
  assert.match(failed, /did not become ready/)
  assert.ok(!isEvil(failed), JSON.stringify(failed))
  await run(
    'serve',
    path,
    '--portless',
    '--name',
    'bot',
    '--daemon',
    '--max-restarts',
    '1',
    '--ready-timeout',
    '500',
  )
  assert.ok(!isEvil(await onTerminal(['list'], env)))
})
