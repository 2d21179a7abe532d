// `threadwise monit`: a live view on a terminal, plain lines elsewhere.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { start, stderrSays, program as threadwise } from '../helpers/program.js'
import { serveCommand, works } from '../helpers/serve-command.js'
import { textOf } from '../helpers/services.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }
const envOf = ({ folder }) => ({ XDG_RUNTIME_DIR: `${folder}/run`, PATH: process.env.PATH })

/** Resolves when the output holds a match; gives all of it. */
function shows(child, pattern) {
  let text = ''
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      text += data
      if (pattern.test(text)) resolve(text)
    })
    child.on('close', () => reject(new Error(`it ended without showing ${pattern}: ${text}`)))
  })
}

test('without a terminal: lines with the time, until SIGINT', limit, async (t) => {
  const served = await serveCommand(t, { args: ['--name', 'web'] })
  await textOf(served.url)
  const { child, ended } = start(['monit', 'web', '--interval', '100'], { env: envOf(served) })
  await shows(child, /INSTANCE[^]*INSTANCE/)
  child.kill('SIGINT')
  const { code, stdout } = await ended
  assert.equal(code, 0)
  for (const line of stdout.trimEnd().split('\n')) assert.match(line, /^\d{4}-\d\d-\d\dT[\d:.]+Z \S/)
  assert.match(stdout, /Z web serving, 2 of 2 serve, \d+\.\d requests\/s, \d\.\d\d CPUs\n/)
  assert.ok(!stdout.includes('\x1b'))
})

test(
  'without a name it shows the only service, and asks for one where there are several',
  limit,
  async (t) => {
    const served = await serveCommand(t, { args: ['--name', 'web'], instances: 1 })
    const env = envOf(served)
    const { child, ended } = start(['monit', '--interval', '100'], { env })
    await shows(child, /Z web serving/)
    child.kill('SIGINT')
    assert.equal((await ended).code, 0)
    const second = start(['serve', served.path, '-i', '1', '--name', 'api'], { env: { ...env, PORT: '0' } })
    t.after(() => second.child.kill('SIGKILL'))
    await stderrSays(second.child, / serves\n/)
    const { code, stderr } = await start(['monit'], { env }).ended
    assert.deepEqual([code, /name must be one of api, web/.test(stderr)], [2, true], stderr)
  },
)

test('it ends when the service does', limit, async (t) => {
  const served = await serveCommand(t, { args: ['--name', 'web'], instances: 1 })
  const { child, ended } = start(['monit', 'web', '--interval', '100'], { env: envOf(served) })
  await shows(child, /INSTANCE/)
  served.child.kill('SIGTERM')
  const { code, stdout } = await ended
  assert.deepEqual([code, stdout.endsWith('web has ended.\n')], [0, true])
})

test('on a terminal: its own screen; q restores it', limit, async (t) => {
  // That of util-linux: the one of BSD has other options.
  if (!(await works('script', ['-qec', 'true', '/dev/null']))) return t.skip('no script(1)')
  const served = await serveCommand(t, { args: ['--name', 'web'], instances: 1 })
  const command = `${process.execPath} ${threadwise} monit web --interval 100`
  for (const [env, isColoured] of [
    [{ TERM: 'xterm' }, true],
    [{ TERM: 'xterm', NO_COLOR: '1' }, false],
  ]) {
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...envOf(served), ...env } })
    t.after(() => child.kill('SIGKILL'))
    const ended = new Promise((resolve) => child.once('close', resolve))
    let text = ''
    child.stdout.on('data', (data) => (text += data))
    await shows(child, /q ends/)
    child.stdin.write('q')
    assert.equal(await ended, 0)
    assert.ok(
      text.includes('\x1b[?1049h') && text.trimEnd().endsWith('\x1b[?25h\x1b[?1049l'),
      JSON.stringify(text),
    )
    assert.equal(text.includes('\x1b[1m'), isColoured)
  }
})

test('wrong usage', limit, async (t) => {
  const { run } = await serveCommand(t, { instances: 1 })
  assert.equal((await run('monit', 'server', '--interval', '5')).code, 2)
  assert.match(
    (await run('monit', 'server', '--interval', '5')).stderr,
    /interval must be milliseconds from 100/,
  )
  const unknown = await run('monit', 'nobody')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /TW_ERR_SERVICE_NOT_FOUND/)
})
