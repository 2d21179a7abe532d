// Real apps under `threadwise serve`, and under PM2 beside it: start, a reload under load, more instances, kill -9 of one under load, stop,
// kill -9 of the one that keeps them. For each: requests that failed, milliseconds, and the processes that were left behind. Linux.
//
//   node bench/field/serve.mjs [--only express,ws] [--without-pm2]
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { APPS } from './apps.mjs'
import { ask, stay } from './clients.mjs'
import { freePort, install, livingWith } from './install.mjs'
import { createPm2, createThreadwise } from './runners.mjs'

/** With clients that stay, for each instance. */
const MAX_RELOAD_MS = 1500
const INSTANCES = 2
/** Within which what a stop has ended is gone, on a busy machine. */
const LEFT_MS = 500

const { values } = parseArgs({ options: { only: { type: 'string' }, 'without-pm2': { type: 'boolean' } } })
const names = values.only?.split(',') ?? Object.keys(APPS)
const unknown = names.filter((name) => !(name in APPS))
if (unknown.length > 0) {
  console.error(`no such app: ${unknown}; there are ${Object.keys(APPS)}`)
  process.exit(2)
}

const root = mkdtempSync(join(tmpdir(), 'threadwise-field-'))
const failures = []
try {
  const pm2 = values['without-pm2'] ? null : install(root, 'pm2', { packages: ['pm2@7'], files: {} })
  for (const name of names) await tryApp(name, { app: APPS[name], pm2 })
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
}
for (const text of failures) console.log(`FAILED ${text}`)
process.exitCode = failures.length > 0 ? 1 : 0

async function tryApp(name, { app, pm2 }) {
  const folder = install(root, name, app)
  const ours = await tryRunner('threadwise', { name, app, folder, create: createThreadwise })
  for (const problem of problemsOf(app, ours)) failures.push(`${name}: ${problem}`)
  if (!pm2) return
  const home = join(folder, 'pm2-home')
  const create = (given, place) => createPm2(given, { ...place, pm2, home })
  await tryRunner('PM2', { name, app, folder, create })
}

function problemsOf(app, { figures, problem }) {
  if (problem) return [problem]
  const { failed = 0, reloadMs, left, leftAfterKill, ran } = figures
  return [
    failed > 0 && `${failed} requests failed in the reload`,
    app.lasting && reloadMs > MAX_RELOAD_MS * INSTANCES && `a reload took ${reloadMs} ms`,
    left !== 0 && `left after the stop: ${left}`,
    leftAfterKill !== 0 && `left after kill -9: ${leftAfterKill}`,
    app.leaves && !ran && 'it has not run',
  ].filter(Boolean)
}

/** What did not work is part of the figures: it ends neither the other runner nor the other apps. */
async function tryRunner(runner, { name, app, folder, create }) {
  const mark = `FIELD_APP=${name.replaceAll(/\W/g, '-')}-${runner}-${process.pid}`
  const figures = {}
  let problem
  try {
    const place = { port: await freePort(), folder, ...(app.socketVariable && { socket: join(folder, 'app.sock') }) } // prettier-ignore
    // Not both: who is given a port and a path listens on the port (server.listen of Node).
    const own = app.socketVariable ? { [app.socketVariable]: place.socket } : { PORT: String(place.port) }
    const env = { ...process.env, ...own, [mark.split('=')[0]]: mark.split('=')[1] }
    const service = await create(app, { folder, env })
    await run({ app, service, place, mark }, figures).catch((error) => (problem = error.message.trim()))
    await service.close()
  } finally {
    for (const pid of livingWith(mark)) process.kill(pid, 'SIGKILL')
  }
  const text = Object.entries(figures).map(([figure, value]) => `${figure} ${value}`)
  console.log([name.padEnd(11), runner.padEnd(11), text.join(', '), problem && `PROBLEM: ${problem}`].filter(Boolean).join(' ')) // prettier-ignore
  return { figures, problem }
}

async function run({ app, service, place, mark }, figures) {
  figures.startMs = await timed(() => service.start())
  if (app.speaks) await runUnderLoad({ app, service, place }, figures)
  else if (app.leaves) figures.ran = await appears(join(place.folder, app.leaves))
  else {
    figures.reloadMs = await timed(() => service.reload())
    await service.scale(INSTANCES + 1)
    figures.scaled = await count(service, INSTANCES + 1)
  }
  figures.stopMs = await timed(() => service.stop())
  figures.left = await leftWith(mark, LEFT_MS)
  await service.startAgain()
  process.kill(await service.mainPid(), 'SIGKILL')
  figures.leftAfterKill = await leftWith(mark, 30_000)
}

async function runUnderLoad({ app, service, place }, figures) {
  await answers(app, place)
  const lasting = await stay(app.lasting, place)
  const whileReloaded = await underLoad(app, place, async () => {
    figures.reloadMs = await timed(() => service.reload())
  })
  Object.assign(figures, whileReloaded)
  await service.scale(INSTANCES + 1)
  figures.scaled = await count(service, INSTANCES + 1)
  const { failed } = await underLoad(app, place, async () => {
    const [pid] = await service.servingPids()
    process.kill(pid, 'SIGKILL')
    figures.killedMs = await timed(() => count(service, INSTANCES + 1, pid))
  })
  figures.failedByKill = failed
  lasting.end()
}

async function underLoad(app, place, action) {
  const asking = ask(app.speaks, place)
  await delay(500)
  const ended = await Promise.allSettled([action().then(() => delay(500))])
  const counts = await asking.end()
  if (ended[0].status === 'rejected') throw ended[0].reason
  return counts
}

/** How many serve, when it are so many and `without` is none of them, or after a while. */
async function count(service, wanted, without) {
  const end = Date.now() + 20_000
  for (;;) {
    const pids = await service.servingPids()
    if ((pids.length >= wanted && !pids.includes(without)) || Date.now() > end) return pids.length
    await delay(50)
  }
}

async function timed(action) {
  const start = performance.now()
  await action()
  return Math.round(performance.now() - start)
}

async function answers(app, place) {
  for (let i = 0; i < 20; i++) {
    const asking = ask(app.speaks, place)
    await delay(1000) // on a busy machine the first pages of a framework take long
    const { requests, failed } = await asking.end()
    if (requests > failed) return
  }
  throw new Error('it does not answer')
}

/** Whether a file is there within two minutes: jobs run once a minute. */
async function appears(path) {
  const end = Date.now() + 125_000
  while (!existsSync(path) && Date.now() < end) await delay(100)
  return existsSync(path)
}

/** Which programs are left after a while; 0 when none is. */
async function leftWith(mark, limitMs) {
  const end = Date.now() + limitMs
  while (livingWith(mark).length > 0 && Date.now() < end) await delay(100)
  const left = livingWith(mark)
  return left.length === 0 ? 0 : `${left.length} (${left.map(commandOf).join('; ')})`
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 80).trim()
  } catch {
    return 'gone meanwhile'
  }
}
