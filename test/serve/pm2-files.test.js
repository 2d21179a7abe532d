// Files of PM2 run as they are there, or it is said why not.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { freePort } from '../helpers/free-port.js'
import { textOf } from '../helpers/services.js'

const limit = { timeout: 100_000, skip: process.platform === 'win32' }

const web = `
  require('node:http').createServer((_, response) => response.end([process.env.PORT, process.env.NODE_APP_INSTANCE].join()))
    .listen(Number(process.env.PORT), '127.0.0.1')`

async function project(t, name, text, files = {}) {
  const all = await background(t)
  const config = join(all.folder, name)
  for (const [file, content] of Object.entries({ 'web.js': web, [name]: text(all.port), ...files }))
    writeFileSync(join(all.folder, file), content)
  const start = (...more) => all.run('serve', '--config', config, '--daemon', ...more, { cwd: all.folder })
  return { ...all, start }
}

const forms = {
  'in YAML': [
    'process.yml',
    (port) =>
      `apps:\n  - name: api # one\n    script: web.js\n    instances: 1\n    env:\n      PORT: ${port}\n`,
  ],
  'in YAML with line ends of Windows': [
    'process.yaml',
    (port) => `apps:\r\n  - script: web.js\r\n    env: { PORT: ${port} }\r\n`,
  ],
  'in JSON with a mark of the byte order': [
    'process.json',
    (port) => `\uFEFF{ "apps": [{ "script": "web.js", "env": { "PORT": ${port} } }] }`,
  ],
  'without the profile that is asked for': [
    'a.config.cjs',
    (port) => `module.exports = { apps: [{ script: 'web.js', env: { PORT: ${port} } }] }`,
    '--env',
    'production',
  ],
  'whose app never says that it is ready': [
    'b.config.cjs',
    (port) =>
      `module.exports = { apps: [{ script: 'web.js', exec_mode: 'cluster', wait_ready: true, listen_timeout: 1500, env: { PORT: ${port} } }] }`,
  ],
  'whose plain process never says that it is ready': [
    'c.config.cjs',
    (port) =>
      `module.exports = { apps: [{ script: 'web.js', wait_ready: true, listen_timeout: 1500, env: { PORT: ${port} } }] }`,
  ],
}

for (const [what, [name, text, ...flags]] of Object.entries(forms)) {
  test(`a file ${what} is served`, limit, async (t) => {
    const { start, port, url } = await project(t, name, text)
    const { code, stderr } = await start(...flags)
    assert.equal(code, 0, stderr)
    if (flags.length > 0) assert.match(stderr, /no app has env_production/)
    assert.equal(await textOf(url), `${port},0`)
  })
}

test('increment_var gives each instance a number of its own', limit, async (t) => {
  const port = await freePort()
  const config = `module.exports = { apps: [{ script: 'web.js', exec_mode: 'fork', instances: 2, increment_var: 'PORT', env: { PORT: ${port} } }] }`
  const { start, run } = await project(t, 'x.config.cjs', () => config)
  assert.equal((await start()).code, 0)
  for (let again = 0; again < 2; again++) {
    assert.equal(await textOf(`http://127.0.0.1:${port}/`), `${port},0`)
    assert.equal(await textOf(`http://127.0.0.1:${port + 1}/`), `${port + 1},1`)
    assert.equal((await run('reload', 'all')).code, 0)
  }
})

test('script "serve" shows the files of its folder, and nothing else', limit, async (t) => {
  const config = (port, path = './dist') =>
    `module.exports = { apps: [{ name: 'front', script: 'serve', env: { PM2_SERVE_PATH: ${JSON.stringify(path)}, PM2_SERVE_PORT: ${port}, PM2_SERVE_SPA: 'true' } }] }`
  const { start, url, folder, port } = await project(t, 'x.config.cjs', config, {
    '.env': 'SECRET',
    'secret.txt': 'SECRET',
  })
  mkdirSync(join(folder, 'dist/.git'), { recursive: true })
  mkdirSync(join(folder, 'dist-more'))
  writeFileSync(join(folder, 'dist/index.html'), 'page')
  writeFileSync(join(folder, 'dist/app.js'), 'code')
  writeFileSync(join(folder, 'dist/.env'), 'SECRET')
  writeFileSync(join(folder, 'dist/.git/config'), 'SECRET')
  writeFileSync(join(folder, 'dist-more/a.txt'), 'SECRET')
  symlinkSync('../secret.txt', join(folder, 'dist/link.txt'))
  const { code, stderr } = await start()
  assert.equal(code, 0, stderr)
  assert.equal(await textOf(`${url}`), 'page')
  assert.equal(await textOf(`${url}some/route`), 'page')
  const script = await fetch(`${url}app.js`)
  assert.deepEqual(
    [await script.text(), script.headers.get('content-type')],
    ['code', 'text/javascript; charset=utf-8'],
  )
  const { connect } = await import('node:net')
  for (const path of [
    '/.env',
    '/.git/config',
    '/link.txt',
    '/../.env',
    '/%2e%2e/.env',
    '/..%2fsecret.txt',
    '/%2e%2e%2fdist-more/a.txt',
    '/../dist-more/a.txt',
    '/%00',
    '/%',
    '//../secret.txt',
    '/..%5csecret.txt',
  ]) {
    const answer = await new Promise((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`),
      )
      socket.on('data', (data) => (text += data)).on('close', () => resolve(text))
    })
    assert.doesNotMatch(answer, /SECRET/, path)
  }
  for (const path of ['.', null]) {
    writeFileSync(join(folder, 'x.config.cjs'), config(port, path))
    const refused = await start()
    assert.deepEqual(
      [refused.code, /PM2_SERVE_PATH of front must be a folder below/.test(refused.stderr)],
      [2, true],
      refused.stderr,
    )
  }
})

test('changes in folders of ignore_watch do not reload, those of sources do', limit, async (t) => {
  const state = `
    const { mkdirSync, writeFileSync } = require('node:fs')
    mkdirSync('data/deep', { recursive: true })
    writeFileSync('data/deep/db.json', String(Math.random()))
    ${web}`
  const config = (port) =>
    `module.exports = { apps: [{ name: 'state', script: 'state.js', exec_mode: 'cluster', instances: 1, watch: true, ignore_watch: ['node_modules', 'data', 'state', 'run'], env: { PORT: ${port} } }] }`
  const { start, run, folder } = await project(t, 'x.config.cjs', config, { 'state.js': state })
  assert.equal((await start()).code, 0)
  const reloads = async () => JSON.parse((await run('status', 'state', '--json')).stdout).reloads
  for (let i = 0; i < 5; i++) {
    writeFileSync(join(folder, 'data/deep/db.json'), String(i))
    await run('status') // takes longer than changes need to settle
  }
  assert.equal(await reloads(), 0)
  writeFileSync(join(folder, 'state.js'), `${state}\n`)
  while ((await reloads()) === 0);
})

test('without a file of PM2 an instance has no variable that nobody asked for', limit, async (t) => {
  const { run, folder, port, url } = await project(t, 'x.json', () => '{}')
  assert.equal((await run('serve', join(folder, 'web.js'), '-i', '1', '--daemon')).code, 0)
  assert.equal(await textOf(url), `${port},`)
})

test('a command is told of a crash, a recovery and a give-up, as JSON on its input', limit, async (t) => {
  const { run, folder, path, url } = await background(t)
  const told = join(folder, 'told')
  const teller = join(folder, 'tell.mjs')
  writeFileSync(
    teller,
    `import { appendFileSync, readFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(told)}, readFileSync(0))`,
  )
  const words = [
    'serve',
    path,
    '-i',
    '1',
    '--name',
    'web',
    '--max-restarts',
    '2',
    '--daemon',
    '--on-event',
    `${process.execPath} ${teller}`,
  ]
  assert.equal((await run(...words)).code, 0)
  const events = () => {
    try {
      return readFileSync(told, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    } catch {
      return []
    }
  }
  const kill = async () => process.kill(Number(await textOf(`${url}pid`)), 'SIGKILL')
  await kill()
  while (events().length < 2) await run('list')
  assert.deepEqual(
    events().map(({ event, service, count }) => [event, service, count]),
    [
      ['crash', 'web', 1],
      ['recovery', 'web', 1],
    ],
  )
  writeFileSync(path, 'process.exit(3)')
  await kill()
  while (!events().some(({ event }) => event === 'give-up')) await run('list')
  assert.match(events().find(({ event }) => event === 'give-up').text, /web gave up/)
})
