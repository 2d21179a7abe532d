// The unit of systemd for a command: what it starts, and that systemd takes it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../helpers/files.js'
import { program, run } from '../../../helpers/program.js'

function folderWithServers(t) {
  const folder = temporaryFolder(t)
  const odd = join(folder, 'a "b" $c %d')
  mkdirSync(odd)
  for (const path of [join(folder, 'server.mjs'), join(odd, 'server.mjs')]) writeFileSync(path, '')
  const apps = ['web', 'api'].map((name) => ({
    name,
    file: 'server.mjs',
    grace: name === 'web' ? 100 : 20_000,
  }))
  writeFileSync(join(folder, 'threadwise.config.json'), JSON.stringify({ apps }))
  return { folder, odd }
}

const valueOf = (unit, key) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value)

test('it starts exactly what the command says', async (t) => {
  const { folder } = folderWithServers(t)
  const args = [
    'serve',
    'server.mjs',
    '-i',
    '2',
    '--wait-ready',
    '--grace',
    '3000',
    '--systemd',
    '--',
    '--port',
    '80',
  ]
  const { code, stdout } = await run(args, { cwd: folder })
  assert.equal(code, 0)
  const start = `${process.execPath} ${program} serve --instances=2 --wait-ready --grace=3000 ${folder}/server.mjs -- --port 80`
  assert.deepEqual(valueOf(stdout, 'ExecStart'), [start])
  assert.deepEqual(valueOf(stdout, 'ExecReload'), [`${process.execPath} ${program} reload server`])
  assert.deepEqual(valueOf(stdout, 'WorkingDirectory'), [folder])
  assert.deepEqual(valueOf(stdout, 'TimeoutStopSec'), ['8'])
  assert.deepEqual(valueOf(stdout, 'KillMode'), ['mixed'])
  assert.deepEqual([valueOf(stdout, 'StartLimitIntervalSec'), valueOf(stdout, 'Restart')], [['0'], ['on-failure']], 'it never gives up') // prettier-ignore
})

test('that of a configuration starts and reloads all its apps, and waits for the slowest', async (t) => {
  const { folder } = folderWithServers(t)
  const { code, stdout, stderr } = await run(['serve', '--systemd'], { cwd: folder })
  assert.equal(code, 0, stderr)
  assert.deepEqual(valueOf(stdout, 'ExecStart'), [`${process.execPath} ${program} serve --config=${folder}/threadwise.config.json`]) // prettier-ignore
  assert.deepEqual(valueOf(stdout, 'ExecReload').map((line) => line.split(' ').at(-1)), ['web', 'api']) // prettier-ignore
  assert.deepEqual(valueOf(stdout, 'TimeoutStopSec'), ['25'])
})

test('systemd takes it, also with words that have signs of their own for it', async (t) => {
  const { folder, odd } = folderWithServers(t)
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return t.skip('systemd-analyze is not there')
  const args = [
    'serve',
    join(odd, 'server.mjs'),
    '--name',
    'web',
    '--systemd',
    '--',
    'a b',
    '$HOME',
    '100%',
    `it's`,
    'a\\n',
  ]
  const { stdout } = await run(args, { cwd: odd })
  const file = join(folder, 'web.service')
  writeFileSync(file, stdout)
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
  const own = stderr.split('\n').filter((line) => line.includes('web.service'))
  assert.deepEqual([status, own], [0, []], stderr)
  assert.match(valueOf(stdout, 'ExecStart')[0], / -- "a b" \$\$HOME 100%% "it's" "a\\\\n"$/)
})

test('it goes with no --daemon', async (t) => {
  const { folder } = folderWithServers(t)
  const { code, stderr } = await run(['serve', 'server.mjs', '--systemd', '--daemon'], { cwd: folder })
  assert.deepEqual([code, /--daemon must be left out beside --systemd/.test(stderr)], [2, true])
})

test('what a unit cannot say is refused', async (t) => {
  const { folder } = folderWithServers(t)
  const refused = async (cwd, ...words) => {
    const { code, stdout, stderr } = await run(['serve', ...words], { cwd })
    assert.deepEqual([code, stdout, /TW_ERR_INVALID_OPTION/.test(stderr)], [2, '', true], stderr)
  }
  await refused(folder, 'server.mjs', '--systemd', '--', 'a\x1b[31m')
  for (const name of ['a\nExecStartPre=evil', 'a\\', 'a ']) {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'server.mjs'), '')
    await refused(join(folder, name), 'server.mjs', '--systemd')
  }
})
