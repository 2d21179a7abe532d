// Real apps under `threadwise serve`, and under PM2 where it runs the same: start, a reload under load, scale, stop, kill -9 of the primary.
// For each: failed requests, how long a reload and a stop took, and which processes were left behind. Packages come from npm.
//
//   node bench/field/serve.mjs [--only express,ws] [--without-pm2]
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load } from '../../build/measure/load/load.js'
import { APPS } from './apps.mjs'

const program = fileURLToPath(new URL('../../build/cli/main.js', import.meta.url))
const { values } = parseArgs({ options: { only: { type: 'string' }, 'without-pm2': { type: 'boolean' } } })
const names = values.only?.split(',') ?? Object.keys(APPS)
const root = mkdtempSync(join(tmpdir(), 'threadwise-field-'))
const failures = []

const pm2 = values['without-pm2'] ? null : install('pm2', { packages: ['pm2@7'], files: {} })
try {
  for (const name of names)
    await tryApp(name, APPS[name] ?? stop(`no app ${name}; there are ${Object.keys(APPS)}`))
} finally {
  if (pm2) spawnSync(join(pm2, 'node_modules/.bin/pm2'), ['kill'], { env: pm2Env() })
  rmSync(root, { recursive: true, force: true })
}
for (const text of failures) console.log(`FAILED ${text}`)
process.exitCode = failures.length > 0 ? 1 : 0

function stop(text) {
  console.error(text)
  process.exit(2)
}

/** The folder of the app, with its packages. */
function install(name, { packages, files, scripts = {}, build }) {
  const folder = join(root, name.replaceAll(/\W/g, '-'))
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'app', private: true, scripts }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  if (packages.length > 0) must('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder) // prettier-ignore
  if (build) must(join(folder, build[0]), build.slice(1), folder)
  return folder
}

function must(file, args, cwd) {
  const { status } = spawnSync(file, args, { cwd, stdio: ['ignore', 2, 2] })
  if (status !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${status}`)
}

async function tryApp(name, app) {
  const folder = install(name, app)
  const mark = `FIELD_APP=${name}-${process.pid}`
  const ours = await underThreadwise(name, app, { folder, mark })
  report(name, 'threadwise', ours)
  if (ours.failed > 0 || ours.left > 0 || ours.leftAfterKill > 0)
    failures.push(`${name}: ${JSON.stringify(ours)}`)
  if (pm2 && app.port && app.serve.length === 1) report(name, 'pm2', await underPm2(app, { folder, mark }))
}

function report(name, runner, { failed, requests, reloadMs, stopMs, left, leftAfterKill = '-' }) {
  const figures = `${failed ?? '-'} of ${requests ?? '-'} failed, reload ${Math.round(reloadMs)} ms, stop ${Math.round(stopMs)} ms` // prettier-ignore
  console.log(
    `${name.padEnd(12)}${runner.padEnd(12)}${figures}, left behind: ${left}, after kill -9: ${leftAfterKill}`,
  )
}

async function underThreadwise(name, app, { folder, mark }) {
  const run = join(folder, 'run')
  mkdirSync(run, { mode: 0o700 })
  const port = await freePort()
  const env = {
    ...process.env,
    ...markOf(mark),
    PORT: String(port),
    XDG_RUNTIME_DIR: run,
    XDG_STATE_HOME: run,
  }
  const threadwise = (...words) => command(process.execPath, [program, ...words], { cwd: folder, env })
  const start = () =>
    threadwise('serve', '--name', 'app', ...(app.port ? ['-i', '2'] : []), '--daemon', ...app.serve)
  const started = await start()
  if (started.status !== 0) throw new Error(`${name} does not start: ${started.stderr}`)
  const sockets = await webSockets(app, port)
  const measured = await underLoad(app, port, async () => ok(await threadwise('reload', 'app')))
  if (app.port) ok(await threadwise('scale', 'app', '3'))
  const [stopMs] = await timed(async () => ok(await threadwise('stop', 'app')))
  for (const socket of sockets) socket.close()
  const left = await leftWith(mark)
  ok(await threadwise('start', 'app'))
  process.kill(JSON.parse((await threadwise('status', 'app', '--json')).stdout).pid, 'SIGKILL')
  return { ...measured, stopMs, left, leftAfterKill: await leftWith(mark, 30_000) }
}

async function underPm2(app, { folder, mark }) {
  const port = await freePort()
  const env = { ...pm2Env(), ...markOf(mark), PORT: String(port) }
  const run = (...words) => command(join(pm2, 'node_modules/.bin/pm2'), words, { cwd: folder, env })
  ok(await run('start', app.serve[0], '-i', '2', '--name', 'app'))
  await answers(port)
  const sockets = await webSockets(app, port)
  const measured = await underLoad(app, port, async () => ok(await run('reload', 'app')))
  const [stopMs] = await timed(async () => ok(await run('delete', 'app')))
  for (const socket of sockets) socket.close()
  return { ...measured, stopMs, left: await leftWith(mark) }
}

/** Not by spawnSync: the load is sent from this process. */
function command(file, args, options) {
  return new Promise((resolve) => {
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ status: error ? (error.code ?? 1) : 0, stdout, stderr }),
    )
  })
}

function ok({ status, stderr, stdout }) {
  if (status !== 0) throw new Error(`${stderr}${stdout}`)
}

async function underLoad(app, port, action) {
  if (!app.port) return { reloadMs: (await timed(action))[0] }
  const end = new AbortController()
  const options = { connections: 8, warmup: 0, duration: 600, signal: end.signal }
  const running = load(`http://127.0.0.1:${port}/`, options)
  await delay(500)
  const [reloadMs] = await timed(action)
  await delay(500)
  end.abort()
  const { requests, errors, statuses } = await running
  const refused = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (status >= 400 ? count : 0),
    0,
  )
  return { requests, failed: errors + refused, reloadMs }
}

async function timed(action) {
  const start = performance.now()
  await action()
  return [performance.now() - start]
}

function markOf(mark) {
  return Object.fromEntries([mark.split('=')])
}

function pm2Env() {
  return { ...process.env, PM2_HOME: join(root, 'pm2-home') }
}

async function webSockets({ webSockets: count = 0 }, port) {
  const { WebSocket: Client } = globalThis // Node 22
  const all = Array.from({ length: Client ? count : 0 }, () => new Client(`ws://127.0.0.1:${port}/`))
  await Promise.all(all.map((socket) => new Promise((resolve) => (socket.onopen = resolve))))
  return all
}

async function answers(port) {
  for (let i = 0; i < 200; i++) {
    if (await fetch(`http://127.0.0.1:${port}/`).then(() => true, () => false)) return // prettier-ignore
    await delay(100)
  }
  throw new Error('it does not answer')
}

async function freePort() {
  const server = createServer().listen(0)
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Processes that carry the mark in their environment, after a while. Linux. */
async function leftWith(mark, limitMs = 2000) {
  const end = Date.now() + limitMs
  for (;;) {
    const left = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(mark))
    if (left.length === 0 || Date.now() > end) return left.length
    await delay(100)
  }
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}
