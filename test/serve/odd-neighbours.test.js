// What lies beside a service in its folders, and is none of ours or of another version, hides no service and holds up nobody.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { bots } from '../helpers/background.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

const odd = {
  'a part of a status': '{"ok":true,"status":{}}',
  'another kind of instances': '{"ok":true,"status":{"name":"odd","instances":{}}}',
  'a text': '"ok"',
  'no JSON': 'hello',
  'nothing at all': '',
}

for (const [what, text] of Object.entries(odd)) {
  test(`a socket whose owner answers with ${what} hides no other service`, limit, async (t) => {
    const { run, folder } = await bots(t)
    const server = createServer((socket) =>
      socket.on('error', () => {}).on('data', () => socket.write(`${text}\n`)),
    )
    await once(server.listen(join(folder, 'threadwise', 'odd.sock')), 'listening')
    t.after(() => server.close())
    const { stdout, stderr } = await run('list')
    assert.match(stdout, /\nbot +serving/)
    assert.match(stderr, /^odd: what listens on its socket does not answer/)
    for (const command of [['status'], ['status', '--prometheus'], ['status', '--json']])
      assert.equal((await run(...command)).code, 0, command.join(' '))
    assert.equal((await run('reload', 'all')).code, 0)
  })
}

test('a socket that gives a letter now and then is told as one that does not answer', limit, async (t) => {
  const { run, folder } = await bots(t)
  const timers = new Set()
  const server = createServer((socket) => {
    socket.on('error', () => {})
    timers.add(setInterval(() => socket.write('x'), 200))
  })
  await once(server.listen(join(folder, 'threadwise', 'slow.sock')), 'listening')
  t.after(() => {
    for (const timer of timers) clearInterval(timer)
    server.close()
  })
  assert.match((await run('list')).stdout, /\nbot +serving[^\n]*\nslow +no answer/)
})

const records = {
  'without its plan': { version: 1 },
  'with an end of another form': {
    version: 1,
    plan: { name: 'bad', file: '/a.js' },
    end: { state: 'failed', lastWords: 'none' },
  },
  'of a newer version': { version: 2, plan: { name: 'bad' } },
  'that is a list': [],
  'that is no JSON': 'x',
}

for (const [what, record] of Object.entries(records)) {
  test(`a record ${what} hides no other service, and is named`, limit, async (t) => {
    const { run, state } = await bots(t)
    writeFileSync(join(state, 'bad.app.json'), typeof record === 'string' ? record : JSON.stringify(record))
    writeFileSync(join(state, 'bad.1.run.json'), '{"version":1}')
    const { stdout, stderr, code } = await run('list')
    assert.deepEqual([code, /\nbot +serving/.test(stdout)], [0, true], stderr)
    assert.match(stderr, /bad\.app\.json is passed over: /)
    for (const command of [
      ['status'],
      ['start', 'all'],
      ['stop', 'all'],
      ['start', 'all'],
      ['delete', 'all'],
    ])
      assert.equal((await run(...command)).code, 0, command.join(' '))
  })
}

test('a pipe in place of a record holds up nobody', limit, async (t) => {
  const { run, state } = await bots(t)
  for (const name of ['bad.app.json', 'bad.1.run.json']) execFileSync('mkfifo', [join(state, name)])
  const { stdout, stderr } = await run('list')
  assert.match(stdout, /\nbot +serving/)
  assert.match(stderr, /bad\.app\.json is passed over: it is not a file/)
})
