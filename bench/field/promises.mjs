// What an operator counts on, tried on `threadwise serve` and on PM2 beside it: one row for each promise, one column for each of the two. A cell says
// "yes", or what happened instead. Linux.
//
//   node bench/field/promises.mjs [--only preload,ready] [--without-pm2]
import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { PROJECTS, withPorts } from '../../test/fixtures/pm2-projects.js'
import { ask } from './clients.mjs'
import { freePort, install, livingWith, printTable } from './install.mjs'
import { slowClients } from './slow-clients.mjs'

const threadwise = fileURLToPath(new URL('../../build/cli/main.js', import.meta.url))
const listen = `listen(Number(process.env.PORT), '127.0.0.1')`
const server = `import { createServer } from 'node:http'\nconst server = createServer((request, response) => response.end(String(process.pid)))\n` // prettier-ignore

/** Each resolves with "yes", or with what happened. `app` has a folder, a port and the two ways to say something: how(...) and run(...). */
const PROMISES = {
  'a preload that awaits': async (app) => {
    app.write('preload.mjs', 'await new Promise((resolve) => setTimeout(resolve, 500))')
    app.write('app.mjs', `${server}server.${listen}`)
    await app.start('app.mjs', { instances: 2, nodeOptions: `--import ${join(app.folder, 'preload.mjs')}` })
    return app.answers()
  },
  'a preload with hooks of a loader': async (app) => {
    app.write('hooks.mjs', 'export const resolve = (specifier, context, next) => next(specifier, context)')
    app.write('preload.mjs', `import { register } from 'node:module'\nregister('./hooks.mjs', import.meta.url)`)
    app.write('app.mjs', `${server}server.${listen}`)
    await app.start('app.mjs', { instances: 2, nodeOptions: `--import ${join(app.folder, 'preload.mjs')}` })
    return app.answers()
  },
  'a reload under load loses no request': async (app) => {
    app.write('app.mjs', `${server}server.${listen}`)
    await app.start('app.mjs', { instances: 2 })
    const asking = ask('http', { port: app.port })
    for (let reload = 0; reload < 3; reload++) await app.say('reload', 'app')
    const { requests, failed } = await asking.end()
    return failed === 0 && requests > 100 ? 'yes' : `${failed} of ${requests} failed`
  },
  'nor one of a kept connection, with a server that refuses once it is told to end': async (app) => {
    const refuse = `let isEnding = false\nfor (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => { isEnding = true; server.close(() => process.exit(0)) })\n`
    app.write('app.mjs', `${server.replace('response.end', 'response.writeHead(isEnding ? 503 : 200).end')}${refuse}server.${listen}`)
    await app.start('app.mjs', { instances: 2 })
    const clients = slowClients(app.url)
    for (let reload = 0; reload < 3; reload++) await app.say('reload', 'app')
    const { 200: well = 0, ...others } = await clients.stop()
    return Object.keys(others).length === 0 && well > 0 ? 'yes' : JSON.stringify(others)
  },
  'wait_ready: the app can ask itself before it is ready': async (app) => {
    app.write('app.mjs', `${server}server.listen(Number(process.env.PORT), '127.0.0.1', async () => {
  await (await fetch('http://127.0.0.1:' + process.env.PORT)).text()
  process.send?.('ready')
})`)
    await app.start('app.mjs', { instances: 2, waitReady: true })
    return app.answers()
  },
  'wait_ready: nobody reaches an instance that is not ready': async (app) => {
    app.write('app.mjs', `import { createServer } from 'node:http'
let isReady = false
createServer((_, response) => response.end(String(isReady))).listen(Number(process.env.PORT), '127.0.0.1', () => {
  setTimeout(() => { isReady = true; process.send?.('ready') }, 1000)
})`)
    const seen = new Set()
    const started = app.start('app.mjs', { instances: 2, waitReady: true })
    const look = async () => seen.add(await textOf(app.url).catch(() => 'refused'))
    let isOver = false
    const looking = (async () => {
      while (!isOver) await Promise.all([look(), delay(20)])
    })()
    await started
    await app.say('reload', 'app')
    isOver = true
    await looking
    return seen.has('false') ? 'such an instance answered' : 'yes'
  },
  'a lost socket: it is listed, stopped, and not started twice': async (app) => {
    app.write('app.mjs', `${server}server.${listen}`)
    await app.start('app.mjs', { instances: 1 })
    const before = await textOf(app.url, 10_000)
    app.loseSockets()
    await delay(1500)
    await app.say('start', 'app').catch(() => {})
    await delay(1000)
    if (livingWith(app.mark).filter((pid) => isApp(pid)).length > 1) return 'a second one runs beside the first'
    if ((await textOf(app.url)) !== before) return 'it was started again'
    await app.say('stop', 'app').catch(() => {})
    await delay(500)
    return livingWith(app.mark).some(isApp) ? 'it runs on after the stop' : 'yes'
  },
  'the background process is killed: nothing is left that nobody knows of': async (app) => {
    app.write('app.mjs', `${server}server.${listen}`)
    await app.start('app.mjs', { instances: 1 })
    process.kill(await app.mainPid(), 'SIGKILL')
    for (let i = 0; i < 150 && livingWith(app.mark).some(isApp); i++) await delay(100)
    return livingWith(app.mark).some(isApp) ? 'the app runs on' : 'yes'
  },
  'after a restart of the machine all is started as it was': async (app) => {
    app.write('app.mjs', `import { createServer } from 'node:http'\ncreateServer((_, response) => response.end(String(process.env.WORD))).${listen}`)
    await app.start('app.mjs', { instances: 1, shell: { WORD: 'first' } })
    await app.save()
    for (const pid of livingWith(app.mark)) process.kill(Number(pid), 'SIGKILL')
    await delay(500)
    await app.resurrect()
    const word = await textOf(app.url, 10_000).catch(() => 'it is down')
    return word === 'first' ? 'yes' : word
  },
  'an app that restarts itself comes back': async (app) => {
    app.write('app.mjs', `import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
createServer((request, response) => {
  response.end(String(process.pid))
  if (request.url === '/deploy') spawn(...JSON.parse(process.env.RESTART))
}).${listen}`)
    await app.start('app.mjs', { instances: 1, env: { RESTART: JSON.stringify(app.words('restart', 'app')) } })
    const before = await textOf(app.url, 10_000)
    await textOf(`${app.url}deploy`)
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      await delay(100)
      if (![before, 'down'].includes(await textOf(app.url).catch(() => 'down'))) return 'yes'
    }
    return 'it is down'
  },
  'restart, from another shell: it has the variables of its start': async (app) => {
    app.write('app.mjs', `import { createServer } from 'node:http'\ncreateServer((_, response) => response.end(String(process.env.WORD))).${listen}`)
    await app.start('app.mjs', { instances: 1, shell: { WORD: 'first' } })
    await app.say('restart', 'app')
    const word = await textOf(app.url, 5000)
    return word === 'first' ? 'yes' : word
  },
  ...Object.fromEntries(Object.entries(PROJECTS).map(([what, project]) => [`file: ${what}`, (app) => runsProject(app, project)])),
} // prettier-ignore

async function runsProject(app, { config, text, files, links = {}, flags = [], answers = {}, refused }) {
  const ports = [app.port, app.port + 1, app.port + 2]
  for (const [path, content] of Object.entries({ ...files, [config]: text })) app.write(path, withPorts(content, ports)) // prettier-ignore
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(app.folder, path)), { recursive: true })
    symlinkSync(target, join(app.folder, path))
  }
  try {
    await app.startFile(config, flags)
  } catch (error) {
    return refused ? 'refused, with the reason' : `refused: ${lastLine(error.message)}`
  }
  for (const [port, answer] of Object.entries(answers)) {
    const found = await textOf(`http://127.0.0.1:${ports[port - 3000]}/`, 10_000).catch(
      () => 'nothing listens',
    )
    if (!answer.test(found)) return found
  }
  return refused ? 'it says that it runs' : 'yes'
}

const { values } = parseArgs({ options: { only: { type: 'string' }, 'without-pm2': { type: 'boolean' } } })
const only = values.only?.split(',')
const chosen = Object.entries(PROMISES).filter(([what]) => !only || only.some((word) => what.includes(word)))
const root = mkdtempSync(join(tmpdir(), 'threadwise-promises-'))
const rows = [['', 'threadwise', ...(values['without-pm2'] ? [] : ['PM2 7'])]]
try {
  const pm2 = values['without-pm2'] ? null : install(root, 'pm2', { packages: ['pm2@7'], files: {} })
  for (const [index, [what, promise]] of chosen.entries()) {
    const ours = await tryOne(promise, threadwiseApp, `${index}-threadwise`)
    if (!/^(yes|refused, with the reason)$/.test(ours)) process.exitCode = 1
    const row = [
      what,
      ours,
      ...(pm2 ? [await tryOne(promise, (place) => pm2App(place, pm2), `${index}-pm2`)] : []),
    ]
    rows.push(row)
    console.error(row.join(' | '))
  }
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
printTable(rows)

async function tryOne(promise, create, name) {
  const folder = join(root, name)
  mkdirSync(folder)
  const mark = `FIELD_APP=${name}-${process.pid}`
  const place = { folder, mark, port: await freePort(), env: {} }
  Object.assign(place.env, process.env, { PORT: String(place.port), FIELD_APP: mark.split('=')[1] })
  const app = { ...common(place), ...create(place) }
  try {
    return await promise(app)
  } catch (error) {
    return lastLine(error.message)
  } finally {
    await app.close().catch(() => {})
    for (const pid of livingWith(mark)) process.kill(Number(pid), 'SIGKILL')
  }
} // prettier-ignore

function common({ folder, port, mark }) {
  const url = `http://127.0.0.1:${port}/`
  return {
    ...{ folder, port, mark, url },
    write(path, text) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
      chmodSync(join(folder, path), 0o755)
    },
    async answers() {
      const text = await textOf(url, 10_000).catch(() => 'nothing listens')
      return /^\d+$/.test(text) ? 'yes' : text
    },
  }
}

/** PM2 takes options of an app from a file; ours from the same file, so that both are told the same. */
function fileOf({ folder, write }, script, { instances, env = {}, nodeOptions, waitReady = false }) {
  const app = { name: 'app', script: join(folder, script), instances, exec_mode: 'cluster', env, ...(nodeOptions && { node_args: nodeOptions }), ...(waitReady && { wait_ready: true, listen_timeout: 20_000 }) } // prettier-ignore
  write('app.config.cjs', `module.exports = ${JSON.stringify({ apps: [app] })}`)
  return 'app.config.cjs'
}

function threadwiseApp({ folder, env }) {
  const run = join(folder, 'run')
  mkdirSync(run, { mode: 0o700 })
  Object.assign(env, { XDG_RUNTIME_DIR: run, XDG_STATE_HOME: run })
  const words = (...args) => [process.execPath, [threadwise, ...args]]
  const say = (...args) => succeed(words(...args), { cwd: folder, env })
  return {
    ...{ words, say },
    start(script, options) {
      return this.startFile(fileOf(this, script, options), [], options.shell)
    },
    startFile: (config, flags, shell) =>
      succeed(words('serve', '--config', config, '--daemon', ...flags), {
        cwd: folder,
        env: { ...env, ...shell },
      }),
    mainPid: async () => JSON.parse(await say('status', 'app', '--json')).pid,
    loseSockets: () => rmSync(join(run, 'threadwise'), { recursive: true, force: true }),
    save: async () => {},
    resurrect: () => say('start', 'all'),
    close: () => say('delete', 'all'),
  }
}

function pm2App({ folder, env }, pm2) {
  const home = join(folder, 'pm2-home')
  env.PM2_HOME = home
  const words = (...args) => [join(pm2, 'node_modules/.bin/pm2'), args]
  const say = (...args) => succeed(words(...args), { cwd: folder, env })
  return {
    ...{ words, say },
    start(script, options) {
      return this.startFile(fileOf(this, script, options), [], options.shell)
    },
    startFile: (config, flags, shell) =>
      succeed(words('start', config, ...flags), { cwd: folder, env: { ...env, ...shell } }),
    mainPid: async () => Number((await succeed(['cat', [join(home, 'pm2.pid')]], {})).trim()),
    loseSockets() {
      for (const name of readdirSync(home).filter((each) => each.endsWith('.sock'))) rmSync(join(home, name))
    },
    save: () => say('save'),
    resurrect: () => say('resurrect'),
    close: () => (existsSync(home) ? say('kill') : Promise.resolve()),
  }
}

function isApp(pid) {
  const command = commandOf(pid)
  return /app\.mjs/.test(command) && !/serve-process|PM2 v|God Daemon/.test(command)
}

function commandOf(pid) {
  try {
    return String(readFileSync(`/proc/${pid}/cmdline`)).replaceAll('\0', ' ') // prettier-ignore
  } catch {
    return ''
  }
}

function succeed([file, args], options) {
  return new Promise((resolve, reject) => {
    execFile(file, args, { timeout: 90_000, ...options }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout}${stderr}` || error.message))
      else resolve(stdout)
    })
  })
}

/** What is answered within the time; PM2 says that it has started before an app listens. */
async function textOf(url, withinMs = 0) {
  for (const end = Date.now() + withinMs; ; await delay(100)) {
    try {
      return await (await fetch(url, { headers: { connection: 'close' }, signal: AbortSignal.timeout(5000) })).text() // prettier-ignore
    } catch (error) {
      if (Date.now() > end) throw error
    }
  }
}

function lastLine(text) {
  return text.trim().split('\n').at(-1).slice(0, 100)
}
