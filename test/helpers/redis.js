// A Redis of the test's own, on loopback and a free port: it can be killed, stopped, and started again where it was.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

/** The program that starts one. */
export const redisCommand = ['redis-server', 'valkey-server'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
)

/** Why tests that need one are skipped; false: they run. On a machine that must not skip, this fails. */
export const withoutRedis = redisCommand
  ? false
  : process.env.CI
    ? fail('redis-server is missing (apt-get install redis-server), and CI must not skip')
    : 'redis-server is not installed (apt-get install redis-server)'

function fail(message) {
  throw new Error(message)
}

/** Starts one; `settings` are options of redis-server, such as { appendonly: 'yes' }. Stopped after the test or suite. */
export async function startRedis(t, settings = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-redis-'))
  const port = await freePort()
  let child
  const start = async () => {
    child = spawn(redisCommand, optionsOf({ port, dir: folder, ...settings }), { stdio: 'ignore' })
    await untilItAnswers(port, child)
  }
  const kill = async (signal = 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill(signal)
    await ended
  }
  await start()
  const stop = async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  t?.after(stop)
  return {
    ...{ port, start, kill, stop, url: `redis://127.0.0.1:${port}` },
    /** It holds its connections, and answers nothing. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    /** It goes on, without its jobs. */
    forget: () => ask(port, 'FLUSHALL\r\n'),
    isEmpty: async () => (await ask(port, 'KEYS *\r\n')) === '*0\r\n',
  }
}

function optionsOf(settings) {
  const all = { bind: '127.0.0.1', save: '', appendonly: 'no', 'maxmemory-policy': 'noeviction', ...settings }
  return Object.entries(all).flatMap(([name, value]) => [`--${name}`, String(value)])
}

async function untilItAnswers(port, child) {
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`redis-server ended with ${child.exitCode ?? child.signalCode}`)
    if (/^(?:\+PONG|-NOAUTH)/.test(await ask(port, 'PING\r\n'))) return
    await sleep(20)
  }
}

/** What it answers; nothing when it cannot be reached. */
function ask(port, command) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(command))
    const end = (answer) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('data', (data) => end(String(data)))
    socket.on('error', () => end(''))
    socket.on('close', () => end('')) // without an answer: it is about to end
  })
}
