// Apps without a port: workers, commands, what runs once, and jobs.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { background } from '../helpers/background.js'
import { temporaryFolder } from '../helpers/files.js'
import { livingWith } from '../helpers/processes.js'
import { serveCommand } from '../helpers/serve-command.js'
import { service } from '../helpers/services.js'
import { askUntil, waitUntil } from '../helpers/waiting.js'
import { serve } from '../../dist/cluster.js'

const limit = { timeout: 60_000, skip: process.platform === 'win32' }

/** A worker that says on its standard error when it begins and when it is told to end. */
const worker = `
  process.on('SIGTERM', () => { console.error('worker told'); process.exit(0) })
  console.error('worker begins ' + process.env.NODE_APP_INSTANCE)
  setInterval(() => {}, 1000)
  process.send?.('ready')`

test(
  'a worker without a port: it serves, is restarted when it dies, and is told to stop',
  limit,
  async (t) => {
    const { service: server, seen } = await service(t, worker, {
      portless: true,
      instances: 1,
      waitReady: true,
    })
    const [{ pid }] = server.status().instances
    assert.deepEqual([server.status().state, server.status().kind], ['serving', 'program'])
    const ready = seen(({ type }) => type === 'ready')
    process.kill(pid, 'SIGKILL')
    await ready
    assert.equal(server.status().crashes, 1)
    const gone = seen(({ type }) => type === 'gone')
    await server.stop()
    assert.equal((await gone).how, 'with exit code 0')
  },
)

test('without an option it is one instance; a reload ends the old one first', limit, async (t) => {
  const { service: server, events } = await service(t, worker, { portless: true, instances: undefined })
  await server.reload()
  assert.equal(server.status().instances.length, 1)
  const order = events.map(({ type }) => type)
  assert.ok(order.indexOf('gone') < order.lastIndexOf('ready'), order.join())
})

test(
  'memory and CPU of a worker and of what it has started',
  { ...limit, skip: process.platform !== 'linux' },
  async (t) => {
    const text = `import { spawn } from 'node:child_process'
    spawn(process.execPath, ['-e', 'globalThis.held = Buffer.alloc(150e6, 1); setInterval(() => {}, 1000)'])
    setInterval(() => {}, 1000)`
    const { service: server } = await service(t, text, { portless: true, instances: 1 })
    const ask = async () => (await server.inspect()).instances[0].load
    const load = await askUntil(ask, (found) => found !== null && found.rss > 180e6)
    assert.ok(load.cpuMs > 0)
  },
)

test(`it is ready when it says so, and the shutdown message reaches it`, limit, async (t) => {
  const text = `process.on('message', (text) => text === 'shutdown' && process.exit(7))
    setTimeout(() => process.send('ready'), 200)`
  const options = { portless: true, instances: 1, waitReady: true, stopSignal: 'message' }
  const { service: server, seen } = await service(t, text, options)
  const gone = seen(({ type }) => type === 'gone')
  await server.stop()
  assert.equal((await gone).how, 'with exit code 7')
})

test('one that cannot be started, or ends at once, says why', limit, async () => {
  await assert.rejects(serve(['no-such-program']), /could not be started.*ENOENT.*Nothing was started/)
  await assert.rejects(serve(['sh', '-c', 'exit 3']), /it ended with exit code 3\. Nothing was started/)
  await assert.rejects(
    serve(['true']),
    /it ended with exit code 0 \(a program that is to end has restart: never\)/,
  )
})

test('what is about ports is refused by name', limit, async () => {
  for (const option of [
    { health: '/' },
    { sticky: 'address' },
    { max: 2 },
    { maxRequests: 5 },
    { hangTimeout: 5000 },
  ]) {
    const message = `${Object.keys(option)[0]} must be left out for an app without a port`
    await assert.rejects(serve(['sleep', '5'], option), ({ message: told }) => told.startsWith(message))
  }
})

test('what runs once: the service ends with it, well or not', limit, async () => {
  const once = await serve(['sh', '-c', 'sleep 0.2'], { restart: 'never' })
  await once.ended
  assert.equal(once.status().state, 'stopped')
  const failing = await serve(['sh', '-c', 'sleep 0.2; exit 4'], { restart: 'never' })
  await assert.rejects(failing.ended, { code: 'TW_ERR_SERVICE_FAILED', message: /ended with exit code 4/ })
  const done = await serve(['sh', '-c', 'sleep 0.2; exit 4'], { restart: 'on-failure', stopExitCodes: [4] })
  await done.ended
})

test('on-failure: it is started again until it succeeds', limit, async (t) => {
  const folder = temporaryFolder(t)
  const script = 'echo x >> tries; [ "$(wc -l < tries)" -ge 3 ]'
  const service = await serve(['sh', '-c', script], { restart: 'on-failure', cwd: folder, restartDelay: 10 })
  await service.ended
  assert.equal(readFileSync(join(folder, 'tries'), 'utf8'), 'x\nx\nx\n')
})

test(
  'any command: serve -- sh -c ..., with all that it has started',
  { ...limit, skip: process.platform !== 'linux' },
  async (t) => {
    const { child, ended, run, variable } = await serveCommand(t, {
      ...{
        instances: undefined,
        command: ['--name', 'site', '--', 'sh', '-c', 'sleep 1000 & sleep 1000; true'],
      },
      until: / serves\n/,
    })
    const status = JSON.parse((await run('status', 'site', '--json')).stdout)
    assert.deepEqual(
      [status.kind, status.file, status.wanted],
      ['program', 'sh -c sleep 1000 & sleep 1000; true', 1],
    )
    const { stdout } = await run('reload', 'site')
    assert.match(stdout, /^site: restarted, 1 instance, with a gap: /)
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    assert.deepEqual(await livingWith(variable), [])
  },
)

test('another interpreter runs the file', limit, async (t) => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'app.sh'), 'echo "$1 $NODE_APP_INSTANCE" > said; sleep 1000')
  const service = await serve(join(folder, 'app.sh'), {
    interpreter: 'sh',
    args: ['x'],
    cwd: folder,
    instanceVariable: 'NODE_APP_INSTANCE',
  })
  t.after(() => service.stop())
  const said = join(folder, 'said')
  await waitUntil(() => existsSync(said) && readFileSync(said, 'utf8') === 'x 0\n', 'it has said it')
})

test('a job runs at its times; a time at which it still runs is left out and told', limit, async (t) => {
  // Each second: the clock of the scheduler is asked, not waited for.
  const { startAutoReload } = await import('../../build/serve/apps/auto-reload.js')
  const { Service } = await import('../../build/serve/service/service.js')
  const { resolveServeOptions } = await import('../../build/serve/contract/resolve-options.js')
  assert.equal(typeof startAutoReload, 'function')
  const events = []
  const over = join(temporaryFolder(t), 'over')
  const options = { restart: 'never', onEvent: (event) => events.push(event) }
  const resolved = resolveServeOptions(['sh', '-c', `until [ -e ${over} ]; do sleep 0.05; done`], options)
  const service = new Service({ ...resolved, isJob: true, instances: 0 })
  t.after(() => service.stop())
  await service.start()
  assert.equal(service.status().state, 'waiting')
  await service.runJob()
  assert.equal(service.status().state, 'serving')
  await service.runJob()
  writeFileSync(over, '')
  await waitUntil(() => service.status().state === 'waiting')
  rmSync(over)
  await service.runJob()
  writeFileSync(over, '')
  await waitUntil(() => service.status().state === 'waiting')
  const counts = ['ready', 'skipped', 'done'].map(
    (wanted) => events.filter(({ type }) => type === wanted).length,
  )
  assert.deepEqual(counts, [2, 1, 2])
})

const minutes = { ...limit, timeout: 150_000 }

/** A job in the background that says that it ran, and goes on. */
async function job(t, cron) {
  const place = await background(t)
  const options = ['--name', 'job', '--daemon', '--restart', 'never', '--cwd', place.folder]
  const { code, stderr } = await place.run('serve', ...options, '--cron', cron, '--', 'sh', '-c', 'echo ran > ran; sleep 1000') // prettier-ignore
  assert.equal(code, 0, stderr)
  return place
}

test('a job in the background waits for its time, and ends with the service', limit, async (t) => {
  const aWeekFromNow = new Date(Date.now() + 7 * 86_400_000)
  const { run, folder, variable } = await job(t, `0 0 ${aWeekFromNow.getDate()} * *`)
  assert.match((await run('list')).stdout, /^job +waiting /m)
  const scaled = await run('scale', 'job', '2')
  assert.equal(scaled.code, 2)
  assert.match(scaled.stderr, /instances must be left out for a job: one runs at each of its times/)
  assert.match(
    (await run('reload', 'job')).stdout,
    /^job: does not run now; its next run is of what is there then\n$/,
  )
  assert.match((await run('list')).stdout, /^job +waiting +0 of 0 /m)
  assert.equal((await run('stop', 'job')).code, 0)
  assert.equal(existsSync(join(folder, 'ran')), false)
  assert.deepEqual(await livingWith(variable), [])
})

test('a job in the background runs at its time, and ends with the service', minutes, async (t) => {
  const { run, folder, variable } = await job(t, '* * * * *')
  await waitUntil(() => existsSync(join(folder, 'ran')), 'it has run', 90_000)
  await askUntil(async () => (await run('list')).stdout, (text) => /^job +serving +1 of 1 /m.test(text)) // prettier-ignore
  assert.equal((await run('stop', 'job')).code, 0)
  assert.deepEqual(await livingWith(variable), [])
})
