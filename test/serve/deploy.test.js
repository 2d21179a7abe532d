// deploy: what runs becomes as the file says, however often it is called. And reload --config: all that a configuration says is shown and done.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { program, textOf } from '../helpers/services.js'
import { freePort } from '../helpers/free-port.js'

const limit = { timeout: 100_000, skip: process.platform === 'win32' }

async function project(t) {
  const all = await background(t, program('hello').replaceAll(`'hello'`, 'process.env.STAGE'))
  const config = join(all.folder, 'threadwise.config.json')
  const ports = [all.port, await freePort()]
  const app = (index, more) => ({
    ...{ file: all.path, name: ['web', 'api'][index], instances: 1 },
    ...more,
    env: { PORT: ports[index], STAGE: 'laptop', ...more?.env },
    envProfiles: { production: { STAGE: 'production' } },
  })
  const write = (...apps) => writeFileSync(config, JSON.stringify({ apps }))
  const pids = async () => {
    const { stdout } = await all.run('status', '--json')
    return Object.fromEntries(
      JSON.parse(stdout).map(({ name, pid, instances }) => [name, `${pid}/${instances[0]?.pid}`]),
    )
  }
  return { ...all, config, app, write, pids, urls: ports.map((port) => `http://127.0.0.1:${port}/`) }
}

test(
  'it starts what is missing, reloads what runs, changes what changed, and tells what left',
  limit,
  async (t) => {
    const { run, config, app, write, pids, urls } = await project(t)
    write(app(0))
    const first = await run('deploy', config, '--env', 'production')
    assert.deepEqual(
      [first.code, /^web: serves in the background/.test(first.stdout)],
      [0, true],
      first.stderr,
    )
    write(app(0), app(1))
    const before = await pids()
    const second = await run('deploy', config)
    assert.equal(second.code, 0, second.stderr)
    assert.match(second.stdout, /^web: reloaded, 1 instance\napi: serves in the background/)
    assert.notEqual((await pids()).web, before.web)
    assert.deepEqual(await Promise.all(urls.map(textOf)), ['production', 'laptop'], 'each keeps its profile')
    write(app(0, { instances: 2, cron: '0 4 * * *' }), app(1, { sticky: 'address' }))
    const third = await run('deploy', config)
    assert.equal(third.code, 0, third.stderr)
    assert.match(
      third.stdout,
      /web: instances: 1 -> 2\nweb: cron: none -> 0 4 \* \* \*\nweb: runs with these, 2 instances\n/,
    )
    assert.match(third.stdout, /api: stickyBy: .* \(by a restart\)\napi: restarted with these/)
    write(app(0, { instances: 2, cron: '0 4 * * *' }))
    const left = await run('deploy', config)
    assert.match(left.stdout, /api: runs, and has left the file; --prune stops it\n$/)
    const pruned = await run('deploy', config, '--prune')
    assert.deepEqual(
      [pruned.code, /api: has left the file, and is stopped\n$/.test(pruned.stdout)],
      [0, true],
    )
    assert.match((await run('list')).stdout, /\napi +stopped[^\n]*/)
    assert.doesNotMatch((await run('deploy', config, '--prune')).stdout, /api/)
    assert.equal(await textOf(urls[0]), 'production')
  },
)

test('the exit code is 0 only when all serve, and what runs goes on', limit, async (t) => {
  const { run, config, app, write, urls, folder } = await project(t)
  write(app(0))
  assert.equal((await run('deploy', config)).code, 0)
  const broken = join(folder, 'broken.mjs')
  writeFileSync(broken, `throw new Error('broken')`)
  write(app(0, { file: broken }), app(1, { file: broken }))
  const { code, stderr } = await run('deploy', config)
  assert.equal(code, 1)
  assert.match(stderr, /^web: An instance of .*broken\.mjs did not become ready/m)
  assert.match(stderr, /^api: An instance of .*broken\.mjs did not become ready/m)
  assert.equal(await textOf(urls[0]), 'laptop', 'the old one serves')
  write(app(0), app(1))
  assert.equal((await run('deploy', config)).code, 0)
  assert.deepEqual(await Promise.all(urls.map(textOf)), ['laptop', 'laptop'])
})

test('reload --config changes times, watched files and the log, and keeps the profile', limit, async (t) => {
  const { run, config, app, write, urls, folder } = await project(t)
  const [one, two] = [join(folder, 'one.log'), join(folder, 'two.log')]
  write(app(0, { cron: '0 4 * * *', logFile: one, logSize: '1m' }))
  assert.equal((await run('serve', '--config', config, '--env', 'production', '--daemon')).code, 0)
  write(app(0, { watch: true, logFile: two, logFiles: 9, onEvent: ['true'] }))
  const changes = [
    'cron: 0 4 * * * -> none',
    'watch: none -> true',
    'onEvent: none -> ["true"]',
    `logFile: ${one} -> ${two}`,
    'logSize: 1048576 -> 10485760',
    'logFiles: 5 -> 9',
  ].map((text) => `web: ${text}\n`)
  const trial = await run('reload', '--config', config, '--dry-run')
  assert.deepEqual([trial.code, trial.stdout], [0, changes.join('')], trial.stderr)
  assert.ok(!existsSync(two))
  const { code, stdout, stderr } = await run('reload', '--config', config)
  assert.deepEqual([code, stdout], [0, `${changes.join('')}web: reloaded with these, 1 instance\n`], stderr)
  assert.equal((await run('reload', 'web')).code, 0)
  assert.match(readFileSync(two, 'utf8'), /\[serve\] reloaded 1 instance/)
  assert.equal((await run('reload', '--config', config)).stdout, 'web: nothing has changed\n')
  assert.equal(await textOf(urls[0]), 'production')
  assert.equal((await run('restart', 'web')).code, 0)
  assert.equal(
    (await run('reload', '--config', config)).stdout,
    'web: nothing has changed\n',
    'a restart knows them',
  )
})
