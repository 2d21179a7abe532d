// threadwise.config: several apps from one file, in front and in the background.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { freePort } from '../helpers/free-port.js'
import { background } from '../helpers/background.js'
import { livingWith } from '../helpers/processes.js'
import { start } from '../helpers/program.js'
import { works } from '../helpers/serve-command.js'
import { program, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }
const root = new URL('../..', import.meta.url).pathname

/** A folder with two apps; `run` and `front` are commands in it. */
async function project(t, write = (config) => ['threadwise.config.mjs', `export default ${config}`]) {
  const own = await background(t)
  const other = await freePort()
  const app = (name, port) =>
    `{ file: 'server.mjs', name: '${name}', instances: 1, env: { PORT: '${port}' }, envProfiles: { production: { WORD: 'live' } } }`
  writeFileSync(own.path, program(`' + (process.env.WORD ?? 'plain') + '`))
  const [name, text] = write(`{ apps: [${app('web', own.port)}, ${app('api', other)}] }`)
  writeFileSync(join(own.folder, name), text)
  writeFileSync(join(own.folder, 'package.json'), '{}')
  mkdirSync(join(own.folder, 'node_modules'))
  symlinkSync(root, join(own.folder, 'node_modules/threadwise'), 'junction')
  const options = { cwd: own.folder, env: own.env, limitMs: 90_000 }
  return {
    ...own,
    urls: [own.port, other].map((port) => `http://127.0.0.1:${port}/`),
    run: (...words) => start(words, options).ended,
    front: (...words) => start(['serve', ...words], options),
  }
}

const statusOf = async (run) => JSON.parse((await run('status', '--json')).stdout)

const bothServe = (run) => waitUntil(async () => (await statusOf(run)).filter(({ state }) => state === 'serving').length === 2, 'both serve') // prettier-ignore

// Runs its arguments on a terminal of their own, which closes when this is killed; what they say goes to standard error.
const TERMINAL = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
while True: os.write(2, os.read(fd, 1000))`

test('in front, all stop when the terminal is closed', limit, async (t) => {
  if (!(await works('python3', ['--version']))) return t.skip('it needs python3')
  const { folder, env, run, variable } = await project(t)
  const options = { cwd: folder, env, via: ['python3', '-c', TERMINAL], limitMs: 90_000 }
  const { child, ended } = start(['serve'], options)
  await bothServe(run)
  child.kill('SIGKILL')
  await ended
  assert.deepEqual(await livingWith(variable), [])
})

test(
  'in front, each app has a process of its own; one that crashes leaves the other alone',
  limit,
  async (t) => {
    const { run, front, urls, variable } = await project(t)
    const { child, ended } = front('--env', 'production')
    await bothServe(run)
    assert.deepEqual(await Promise.all(urls.map(textOf)), ['live', 'live'])
    const before = await statusOf(run)
    process.kill(before.find(({ name }) => name === 'web').pid, 'SIGKILL')
    assert.equal(await textOf(urls[1]), 'live')
    await waitUntil(async () => {
      const web = (await statusOf(run)).find(({ name }) => name === 'web')
      return web?.state === 'serving' && web.pid !== before.find(({ name }) => name === 'web').pid
    }, 'it is started again')
    assert.equal(await textOf(urls[0]), 'live')
    const api = (await statusOf(run)).find(({ name }) => name === 'api')
    assert.equal(api.pid, before.find(({ name }) => name === 'api').pid)

    child.kill('SIGHUP')
    await waitUntil(
      async () =>
        isDeepStrictEqual(
          (await statusOf(run)).map(({ reloads }) => reloads),
          [1, 1],
        ),
      'both are reloaded',
    )
    assert.equal((await run('stop', 'api')).code, 0)
    assert.equal(await textOf(urls[0]), 'live')
    child.kill('SIGTERM')
    const { code, stderr } = await ended
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^web: its process ended by SIGKILL; it is started again in 1000 ms$/m)
    assert.deepEqual(await livingWith(variable), [])
  },
)

test('Ctrl-C, which all processes get, ends all without a lost request', limit, async (t) => {
  const { run, front, urls, variable } = await project(t)
  const { child, ended } = front()
  await bothServe(run)
  const services = await statusOf(run)
  const late = await Promise.all(urls.map((url) => fetch(`${url}late`)))
  for (const { pid } of services) process.kill(pid, 'SIGINT')
  child.kill('SIGINT')
  assert.deepEqual(await Promise.all(late.map((response) => response.text())), ['plain', 'plain'])
  assert.equal((await ended).code, 0)
  assert.deepEqual(await livingWith(variable), [])
})

test('two signals at once are one for all of them', limit, async (t) => {
  const { run, front, urls, variable } = await project(t)
  const { child, ended } = front()
  await bothServe(run)
  const late = await Promise.all(urls.map((url) => fetch(`${url}late`)))
  child.kill('SIGTERM')
  child.kill('SIGINT')
  assert.deepEqual(await Promise.all(late.map((response) => response.text())), ['plain', 'plain'])
  assert.equal((await ended).code, 0)
  assert.deepEqual(await livingWith(variable), [])
})

test('one that cannot start leaves the other, and is tried again until it serves', limit, async (t) => {
  const { run, front, path, urls, variable } = await project(t)
  const text = program('plain').replace("import { createServer } from 'node:http'", '')
  writeFileSync(
    path,
    `import { createServer } from 'node:http'\nif (process.env.PORT === '${new URL(urls[0]).port}') throw new Error('broken')\n${text}`,
  )
  const { child, ended } = front()
  const stateOf = async (wanted) => (await statusOf(run)).find(({ name }) => name === wanted)
  await waitUntil(async () => (await stateOf('api'))?.state === 'serving', 'api serves')
  await waitUntil(async () => (await stateOf('web'))?.crashes > 0, 'web is there, and does not serve')
  assert.equal(await textOf(urls[1]), 'plain')
  writeFileSync(path, `import { createServer } from 'node:http'\n${text}`)
  await waitUntil(async () => (await stateOf('web'))?.state === 'serving', 'web was tried again')
  assert.equal(await textOf(urls[0]), 'plain')
  child.kill('SIGTERM')
  const { code, stderr } = await ended
  assert.equal(code, 0)
  assert.match(stderr, /web: An instance of .* It is tried again/)
  assert.deepEqual(await livingWith(variable), [])
})

test('when the process in front is killed, the apps let their requests end, and end', limit, async (t) => {
  const { run, front, urls, variable } = await project(t)
  const { child } = front()
  await bothServe(run)
  const late = await Promise.all(urls.map((url) => fetch(`${url}late`)))
  child.kill('SIGKILL')
  assert.deepEqual(await Promise.all(late.map((response) => response.text())), ['plain', 'plain'])
  assert.deepEqual(await livingWith(variable), [])
})

test('in the background, each app is a service of its own', limit, async (t) => {
  const { run, urls, variable, logOf } = await project(t)
  const { code, stdout, stderr } = await run('serve', '--daemon')
  assert.equal(code, 0, stderr)
  assert.match(
    stdout,
    /^web: serves in the background, .*\nlog: .*\napi: serves in the background, .*\nlog: .*\n$/,
  )
  assert.deepEqual(await Promise.all(urls.map(textOf)), ['plain', 'plain'])
  const again = await run('serve', '--daemon', '--only', 'web')
  assert.deepEqual([again.code, /web.*TW_ERR_SERVICE_EXISTS/.test(again.stderr)], [1, true])
  assert.equal((await run('stop', 'web')).code, 0)
  assert.equal((await run('stop', 'api')).code, 0)
  assert.match(logOf('web'), /\[serve\] stopped/)
  assert.deepEqual(await livingWith(variable), [])
})

const forms = {
  'an ES module with defineConfig': (config) => ['threadwise.config.mjs', `import { defineConfig } from 'threadwise/cluster'\nexport default defineConfig(${config})`], // prettier-ignore
  'a module of CommonJS': (config) => ['threadwise.config.js', `module.exports = ${config}`],
  JSON: (config) => ['threadwise.config.json', JSON.stringify(new Function(`return ${config}`)())],
  TypeScript: (config) => ['threadwise.config.ts', `import type { ServeConfig } from 'threadwise/cluster'\nconst config: ServeConfig = ${config}\nexport default config`], // prettier-ignore
}
for (const [title, write] of Object.entries(forms)) {
  test(`a configuration may be ${title}`, limit, async (t) => {
    const { run, urls } = await project(t, write)
    const { code, stderr } = await run('serve', '--daemon', '--only', 'api')
    if (title === 'TypeScript' && !process.features.typescript) {
      assert.equal(code, 1)
      assert.match(stderr, /does not run TypeScript; use Node 22\.18 or newer.*TW_ERR_CONFIG_INVALID/)
      return
    }
    assert.equal(code, 0, stderr)
    assert.equal(await textOf(urls[1]), 'plain')
    assert.equal((await run('stop', 'api')).code, 0)
  })
}

test('mistakes are reported', limit, async (t) => {
  const { run, folder, path } = await project(t)
  for (const [args, code, reason] of [
    [['--only', 'web2'], 2, /--only must be an app of .*: web, api, got "web2"/],
    [['--env', 'test'], 2, /--env must be a profile of .*: production/],
    [['-i', '2'], 2, /--instances must be left out without a file/],
    [['--max-memory', '1g'], 2, /--max-memory must be left out without a file/],
    [[path, '--env', 'production'], 2, /--env must be left out beside a file/],
    [
      ['threadwise.config.mjs'],
      2,
      /file must be what starts a server; a configuration is read by --config threadwise\.config\.mjs/,
    ],
    [['ecosystem.json'], 2, /a configuration is read by --config ecosystem\.json/],
    [['--config', 'nowhere.mjs'], 1, /No configuration was found: .*nowhere\.mjs.*TW_ERR_CONFIG_NOT_FOUND/],
  ]) {
    const ended = await run('serve', ...args)
    assert.deepEqual(
      [ended.code, reason.test(ended.stderr)],
      [code, true],
      `${args.join(' ')}: ${ended.stderr}`,
    )
  }
  const config = join(folder, 'threadwise.config.mjs')
  writeFileSync(join(folder, 'threadwise.config.json'), readFileSync(config))
  assert.match((await run('serve')).stderr, /threadwise\.config\.json is there too.*TW_ERR_CONFIG_INVALID/)
  writeFileSync(config, 'export default {')
  assert.match((await run('serve', '--config', config)).stderr, /cannot be loaded \(.*TW_ERR_CONFIG_INVALID/)
  const yaml = join(folder, 'ecosystem.toml')
  writeFileSync(yaml, 'apps: []')
  assert.match((await run('serve', '--config', yaml)).stderr, /ends in \.js, .*\.json, \.yml or \.yaml.*TW_ERR_CONFIG_INVALID/) // prettier-ignore
})
