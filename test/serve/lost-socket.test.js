// A service whose socket is lost, or whose shell looks elsewhere, is known to run: it is listed, reached, stopped, and never started twice.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { bots } from '../helpers/background.js'
import { livingWith } from '../helpers/processes.js'
import { serveCommand } from '../helpers/serve-command.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

const losses = {
  'its socket was removed': ({ folder }) => rmSync(join(folder, 'threadwise', 'bot.sock')),
  'the folder of its sockets was removed': ({ folder }) =>
    rmSync(join(folder, 'threadwise'), { recursive: true }),
  'the folder of the login was removed': ({ folder }) => rmSync(folder, { recursive: true }),
  'a login has made an empty folder': ({ folder }) => {
    rmSync(folder, { recursive: true })
    mkdirSync(folder, { mode: 0o700 })
  },
  'its record was removed too': ({ folder, state }) => {
    rmSync(join(folder, 'threadwise'), { recursive: true })
    for (const name of readdirSync(state)) if (name.endsWith('.run.json')) rmSync(join(state, name))
  },
}

for (const [how, lose] of Object.entries(losses)) {
  test(`when ${how}, a service is found, restarted, and deleted whole`, limit, async (t) => {
    const all = await bots(t)
    const { run, start, processes } = all
    lose(all)
    await waitUntil(async () => /\nbot +serving +1 of 1/.test((await run('list')).stdout), 'it is listed')
    const before = await processes()
    const second = await run('start', 'bot')
    assert.deepEqual([second.code, /TW_ERR_SERVICE_EXISTS/.test(second.stderr)], [1, true], second.stderr)
    assert.match((await run(...start)).stderr, /TW_ERR_SERVICE_EXISTS/)
    assert.equal((await run('restart', 'bot')).code, 0)
    await waitUntil(async () => (await processes()) === before, 'the one before has ended')
    lose(all)
    await waitUntil(async () => (await run('status', 'bot')).code === 0, 'it is reached')
    const deleted = await run('delete', 'bot')
    assert.deepEqual([deleted.code, deleted.stdout], [0, 'bot: deleted\n'], deleted.stderr)
    assert.deepEqual(await livingWith(all.variable), [])
  })
}

test(
  'a service in the background is the same from a shell with another folder for sockets',
  limit,
  async (t) => {
    const { run, start, processes, folder } = await bots(t)
    const other = join(folder, 'other')
    mkdirSync(other, { mode: 0o700 })
    const env = { XDG_RUNTIME_DIR: other }
    assert.match((await run('list', { env })).stdout, /\nbot +serving/)
    assert.match((await run(...start, { env })).stderr, /TW_ERR_SERVICE_EXISTS/)
    assert.equal((await run('stop', 'bot', { env })).code, 0)
    assert.equal(await processes(), 0)
  },
)

test('in the foreground, a socket that was removed is made again by itself', limit, async (t) => {
  const { folder, run, child, ended } = await serveCommand(t, { instances: 1 })
  const path = join(folder, 'run/threadwise/server.sock')
  rmSync(path)
  await waitUntil(() => existsSync(path), 'it is there again')
  assert.match((await run('list')).stdout, /\nserver +serving +1 of 1/)
  assert.equal((await run('stop', 'server')).code, 0)
  assert.equal((await ended).code, 0)
  assert.equal(child.exitCode, 0)
  assert.ok(!existsSync(path))
})

test('one that is suspended stays so, and is not called killed, stopped or deleted', limit, async (t) => {
  const { run, folder } = await bots(t)
  const pid = Number(/process (\d+)/.exec((await run('status', 'bot')).stdout)[1])
  t.after(() => process.kill(pid, 'SIGCONT'))
  process.kill(pid, 'SIGSTOP')
  rmSync(join(folder, 'threadwise'), { recursive: true })
  assert.match((await run('list')).stdout, /\nbot +no answer\n/)
  const { code, stdout, stderr } = await run('delete', 'bot')
  assert.deepEqual([code, stdout, /TW_ERR_SERVICE_SILENT/.test(stderr)], [1, '', true], stderr)
  const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)]).toString()
  assert.match(state, /^T/)
})

test('one that was killed is called so, and started again', limit, async (t) => {
  const { run, variable } = await bots(t)
  const pid = Number(/process (\d+)/.exec((await run('status', 'bot')).stdout)[1])
  process.kill(pid, 'SIGKILL')
  await livingWith(variable)
  assert.match((await run('list')).stdout, /\nbot +killed/)
  assert.equal((await run('start', 'bot')).code, 0)
  assert.match((await run('list')).stdout, /\nbot +serving/)
})
