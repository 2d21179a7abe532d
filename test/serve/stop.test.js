// `stop`, `restart` and `delete` return when nothing of the service is left, and say what they wait for.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { fileExists, testFolder } from '../helpers/files.js'
import { livingWith } from '../helpers/processes.js'
import { start } from '../helpers/program.js'
import { program } from '../helpers/services.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

/** Its own child has made a group of its own, keeps its output open, and so keeps the log open for two seconds. */
const withOpenOutput = program(
  'hello',
  `import('node:child_process').then(({ spawn }) =>
    spawn('sleep', ['30'], { detached: true, stdio: 'inherit', env: { PATH: process.env.PATH } }))`,
)
/** Ends later than it is told to. */
const slow = program('hello', `process.on('SIGTERM', () => setTimeout(() => process.exit(), 3500))`)

async function daemon(t, text) {
  const place = await background(t, text)
  const started = await place.run('serve', place.path, '-i', '1', '--name', 'web', '--daemon')
  assert.equal(started.code, 0, started.stderr)
  return { ...place, pid: Number(/process (\d+)/.exec(started.stdout)[1]) }
}

const recordOf = ({ state }) => JSON.parse(readFileSync(join(state, 'web.app.json'), 'utf8'))

for (const [what, text] of [
  ['an app that ends at once', program('hello')],
  ['one whose output stays open', withOpenOutput],
  ['one that takes its time', slow],
]) {
  test(`stop of ${what}: no process is left when it returns, and the log is complete`, limit, async (t) => {
    const place = await daemon(t, text)
    const { code, stdout, stderr } = await place.run('stop', 'web')
    assert.deepEqual(await livingWith(place.variable, 0), [])
    assert.deepEqual([code, stdout], [0, 'web: stopped\n'], stderr)
    assert.match(place.logOf('web'), /\[serve\] stopped\n$/)
    assert.equal(recordOf(place).end.state, 'stopped')
  })

  test(`delete of ${what}: it is in no list when it returns`, limit, async (t) => {
    const place = await daemon(t, text)
    assert.equal((await place.run('delete', 'web')).stdout, 'web: deleted\n')
    assert.deepEqual(await livingWith(place.variable, 0), [])
    assert.equal((await place.run('list')).stdout, 'No service runs for this user.\n')
  })
}

test('restart: the old process is gone before the new one starts', limit, async (t) => {
  const place = await daemon(t, withOpenOutput)
  const { code, stdout, stderr } = await place.run('restart', 'web')
  assert.equal(code, 0, stderr)
  assert.notEqual(Number(/process (\d+)/.exec(stdout)[1]), place.pid)
  assert.ok(!(await livingWith(place.variable, 0)).includes(place.pid))
})

test('what takes long is said: instances that end, then the process itself', limit, async (t) => {
  const place = await daemon(t, slow)
  const { instances } = JSON.parse((await place.run('status', 'web', '--json')).stdout)
  const { stderr } = await place.run('stop', 'web')
  const [first, second] = stderr.split('\n')
  assert.equal(first, `web: waits for its instances (${instances[0].pid}), at most for the grace`)
  assert.match(second, /^$|^web: waits for its process \d+ to end$/)
})

test('a service that is killed while it stops: that is said', limit, async (t) => {
  const told = testFolder(t)('told')
  const text = `import { writeFileSync } from 'node:fs'\n${slow}\nprocess.on('SIGTERM', () => writeFileSync(${JSON.stringify(told)}, ''))`
  const { run, path, variable, pid, env } = await daemon(t, text)
  const { ended } = start(['stop', 'web'], { env })
  await fileExists(told)
  process.kill(pid, 'SIGKILL')
  const { code, stderr } = await ended
  assert.equal(code, 0)
  assert.match(stderr, new RegExp(`web: its process ${pid} was killed meanwhile`))
  assert.deepEqual(await livingWith(variable), [])
  writeFileSync(path, program('again'))
  assert.equal((await run('start', 'web')).code, 0)
})

test('two stops at the same time both wait', limit, async (t) => {
  const place = await daemon(t, withOpenOutput)
  const both = await Promise.all([1, 2].map(() => place.run('stop', 'web')))
  assert.deepEqual(both.map(({ code }) => code), [0, 0]) // prettier-ignore
  assert.deepEqual(await livingWith(place.variable, 0), [])
})
