// The commands of the examples in docs/cluster.md, as process 1, as containers run them: a deploy lets jobs end.
import assert from 'node:assert/strict'
import { spawn, spawnSync, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { fileExists, testFolder, touch } from '../helpers/files.js'
import { program } from '../helpers/program.js'
import { module, openQueue } from '../helpers/queues.js'
import { startRedis, withoutRedis } from '../helpers/redis.js'

const page = readFileSync(new URL('../../docs/cluster.md', import.meta.url), 'utf8')
const UNSHARE = ['unshare', '--pid', '--fork', '--mount-proc', '--kill-child=SIGKILL']
const canUnshare = spawnSync(UNSHARE[0], [...UNSHARE.slice(1), 'true']).status === 0
const skip = withoutRedis || (!canUnshare && 'unshare is not allowed here')

const compose = /command: (node_modules.*)\n/.exec(page)[1].split(' ')
const kubernetes = /command: \[(node_modules.*)\]\n/.exec(page)[1].split(', ').map((word) => word.replaceAll("'", '')) // prettier-ignore

/** A folder as that of an image: the tasks of a module, and the installed command. */
function imageFolder(t) {
  const folder = dirname(testFolder(t)('x'))
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true })
  symlinkSync(program, join(folder, 'node_modules/.bin/threadwise'))
  symlinkSync(fileURLToPath(new URL('../..', import.meta.url)), join(folder, 'node_modules/threadwise'))
  cpSync(fileURLToPath(module), join(folder, 'tasks.js'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  return folder
}

const said = new WeakMap()

/** Resolves when it has said that on its standard error. */
function stderrSays(child, pattern) {
  const known = said.get(child) ?? { text: '' }
  if (!said.has(child)) child.stderr.on('data', (data) => (known.text += data))
  said.set(child, known)
  return new Promise((resolve, reject) => {
    const look = () => pattern.test(known.text) && resolve()
    look()
    child.stderr.on('data', look)
    child.on('close', () => reject(new Error(`it ended without saying ${pattern}: ${known.text}`)))
  })
}

const childOf = (pid) =>
  Number(execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' }).split('\n')[0])

for (const [name, command] of Object.entries({ compose, kubernetes }))
  test(
    `the command of the example for ${name} lets a job end at SIGTERM, as process 1`,
    { skip },
    async (t) => {
      const redis = await startRedis(t)
      const queue = openQueue(t, redis)
      const path = testFolder(t)
      const port = String(await freePort())
      const own = command.map((word) => (word === 'images' ? queue.queue : word === '9090' ? port : word))
      const child = spawn(UNSHARE[0], [...UNSHARE.slice(1), ...own], {
        ...{ cwd: imageFolder(t), stdio: ['ignore', 'ignore', 'pipe'] },
        env: { ...process.env, THREADWISE_CONNECTION: redis.url, npm_command: undefined },
      })
      t.after(() => child.kill('SIGKILL'))
      const exited = once(child, 'exit')
      await stderrSays(child, /takes jobs/)
      const call = queue.caller().run('waitUntil', [path('started'), path('release')])
      await fileExists(path('started'))
      const stops = stderrSays(child, /stops \(SIGTERM\)/)
      process.kill(childOf(child.pid), 'SIGTERM')
      await stops
      touch(path('release'))
      assert.equal(await call, 'released')
      assert.deepEqual((await exited)[0], 0)
    },
  )

test('a worker under npm stops when that has ended', { skip }, async (t) => {
  const redis = await startRedis(t)
  const queue = openQueue(t, redis)
  const path = testFolder(t)
  const worker = [process.execPath, program, 'worker', fileURLToPath(module), '--queue', queue.queue]
  // As npx: it starts the command, and has no ear for signals.
  const script = `const child = require('child_process').spawn(${JSON.stringify(worker[0])}, ${JSON.stringify(worker.slice(1))}, { stdio: 'inherit' })`
  const env = { ...process.env, THREADWISE_CONNECTION: redis.url, npm_command: 'exec' }
  const npm = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => npm.kill('SIGKILL'))
  await stderrSays(npm, /takes jobs/)
  const call = queue.caller().run('waitUntil', [path('started'), path('release')])
  await fileExists(path('started'))
  const pid = childOf(npm.pid)
  t.after(() => spawnSync('kill', ['-9', String(pid)]))
  const stops = stderrSays(npm, /stops \(npm has ended\): lets jobs end/)
  npm.kill('SIGTERM')
  await stops
  touch(path('release'))
  assert.equal(await call, 'released')
})

test('a worker waits for a store that comes later', { skip: withoutRedis }, async (t) => {
  const redis = await startRedis(t)
  await redis.kill()
  const queue = openQueue(t, redis)
  const args = [program, 'worker', fileURLToPath(module), '--queue', queue.queue, '--connection', redis.url]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  t.after(() => child.kill('SIGKILL'))
  const takes = stderrSays(child, /takes jobs/)
  const call = queue.caller().tasks.add(1, 2)
  await redis.start()
  await takes
  assert.equal(await call, 3)
  const hasty = spawnSync(process.execPath, [
    ...args.slice(0, -1),
    'redis://127.0.0.1:1',
    '--wait-store',
    '0.1',
  ])
  assert.equal(hasty.status, 1)
  assert.match(String(hasty.stderr), /TW_ERR_STORE_UNAVAILABLE/)
})
