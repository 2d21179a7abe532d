// `threadwise pools` and `threadwise resize`, beside programs that were started with and without their control socket.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, test } from 'node:test'
import { connectTo, listenAt } from '../../build/user/control-socket.js'
import { temporaryFolder } from '../helpers/files.js'
import { run } from '../helpers/program.js'
import { waitUntil } from '../helpers/waiting.js'

const index = new URL('../../dist/index.js', import.meta.url).href
const tasks = new URL('../fixtures/tasks/basic.js', import.meta.url).href
const code = (body) => `
  import { processes, threads } from ${JSON.stringify(index)}
  import { createInterface } from 'node:readline'
  const tasks = new URL(${JSON.stringify(tasks)})
  process.on('warning', ({ code }) => console.log('warning', code))
  ${body}
  console.log('begins')
  for await (const line of createInterface({ input: process.stdin })) {
    try { console.log(JSON.stringify(await eval(line)) ?? 'done') } catch (error) { console.log(error.message) }
  }`
const TWO = `
  const render = threads(tasks, { name: 'render', size: 2 })
  const parse = processes(tasks, { name: 'parse', size: { min: 0, max: 1 } })
  const nameless = threads(tasks, { size: 1 })
  await render.run('double', [2])
  await new Promise((resolve) => setTimeout(resolve, 5)) // so that calls are rare, and all of them timed
  await render.run('add', [2, 3])`

/** A user with a runtime folder of its own. */
function user(t) {
  const folder = join(temporaryFolder(t), 'run')
  mkdirSync(folder, { mode: 0o700 })
  const env = { XDG_RUNTIME_DIR: folder }
  const sockets = () => (existsSync(join(folder, 'threadwise/pools')) ? readdirSync(join(folder, 'threadwise/pools')) : []) // prettier-ignore
  const ask = (...args) => run(args, { env })
  const list = async () => JSON.parse((await ask('pools', '--json')).stdout)
  return { folder, env, sockets, ask, list, start: (body, more) => program(t, body, { ...env, ...more }) }
}

/** Runs it; `say` has it evaluate a line, and gives what it prints. */
async function program(t, body, env) {
  const args = ['--input-type=module', '-e', code(body)]
  const child = spawn(process.execPath, args, { env: { ...process.env, THREADWISE_CONTROL: undefined, ...env }, stdio: ['pipe', 'pipe', 'inherit'] }) // prettier-ignore
  t.after(() => child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (await lines.next()).value
  const first = []
  do first.push(await next())
  while (first.at(-1) !== 'begins' && first.at(-1) !== undefined)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const say = (line) => (child.stdin.write(`${line}\n`), next())
  return { child, pid: child.pid, first, ended, say }
}

const control = { THREADWISE_CONTROL: '1' }

const isWindows = process.platform === 'win32'
const withSignals = { skip: isWindows && 'Windows has no signals between processes' }

describe('threadwise pools', () => {
  test('lists the named pools of programs that want it, with their load', async (t) => {
    const { start, ask, list, sockets } = user(t)
    assert.match((await ask('pools')).stdout, /^No pools\. Start the program with THREADWISE_CONTROL=1/)
    const first = await start(TWO, control)
    const other = await start("const own = threads(tasks, { name: 'own', size: 1, control: true })")
    await start(TWO)
    const { pools, silent } = await list()
    assert.deepEqual(silent, [])
    const shown = pools.map(({ pid, thread, kind, name, size, queued, running, completed, failed, refused }) => ({ pid, thread, kind, name, size, queued, running, completed, failed, refused })) // prettier-ignore
    const idle = { thread: 0, queued: 0, running: 0, failed: 0, refused: 0 }
    const expected = [
      { ...idle, pid: first.pid, kind: 'processes', name: 'parse', size: 0, completed: 0 },
      { ...idle, pid: first.pid, kind: 'threads', name: 'render', size: 2, completed: 2 },
      { ...idle, pid: other.pid, kind: 'threads', name: 'own', size: 1, completed: 0 },
    ]
    assert.deepEqual(
      shown,
      expected.sort((a, b) => a.pid - b.pid),
    )
    const { tasks: functions } = pools.find(({ name }) => name === 'render')
    assert.deepEqual(functions.map(({ task }) => task).sort(), ['add', 'double'])
    assert.ok(functions.every(({ waitP99, runP99 }) => waitP99 >= 0 && runP99 >= 0))
    const table = await ask('pools')
    assert.equal(table.code, 0)
    assert.match(table.stdout, /\n +double +[\d.]+ ms +[\d.]+ ms *(\n|$)/)
    assert.match(table.stdout, /^PID +POOL +KIND +SIZE +QUEUED +RUNNING +DONE +FAILED +P99 WAIT +P99 RUN/)
    assert.match(table.stdout, new RegExp(`${first.pid} +render +threads +2 +0 +0 +2 +0 `))
    assert.deepEqual(sockets().sort(), [first.pid, other.pid].map((pid) => `${pid}.sock`).sort())
  })

  test('lists those of worker threads too', async (t) => {
    const { start, list } = user(t)
    const inThread = `
      import { Worker } from 'node:worker_threads'
      const text = \`const { parentPort } = require('node:worker_threads'); parentPort.on('message', () => {}); import(${JSON.stringify(index)}).then(({ threads }) => {
        globalThis.pool = threads(new URL(${JSON.stringify(tasks)}), { name: 'inner', size: 1 }); globalThis.pool.ready.then(() => parentPort.postMessage(0)) })\`
      const worker = new Worker(text, { eval: true, execArgv: [] })
      await new Promise((resolve) => worker.once('message', resolve))`
    const { pid } = await start(inThread, control)
    await waitUntil(async () => (await list()).pools.length === 1)
    const [pool] = (await list()).pools
    assert.deepEqual([pool.pid, pool.name, pool.thread > 0], [pid, 'inner', true])
  })

  test('resize changes a pool while it runs', async (t) => {
    const { start, ask } = user(t)
    const { pid, say } = await start(TWO, control)
    const answer = await ask('resize', String(pid), 'render', '3')
    assert.equal(answer.code, 0, answer.stderr)
    assert.match(answer.stdout, /render +threads +3/)
    assert.equal(await say('render.size'), '3')
    const range = await ask('resize', String(pid), 'render', '0-1', '--json')
    assert.equal(JSON.parse(range.stdout).name, 'render')
    assert.equal(await say('render.run("double", [4])'), '8')
  })

  test('resize says what is wrong', async (t) => {
    const { start, ask } = user(t)
    const { pid, say } = await start(TWO, control)
    const wrong = [
      [
        [String(pid), 'nameless', '1'],
        1,
        new RegExp(`the name of one pool of process ${pid} \\(it has "parse", "render"\\)`),
      ],
      [['1', 'render', '1'], 1, /it has none that can be controlled/],
      [[String(pid), 'render', '0'], 2, /size must be a whole number of at least 1, got 0/],
      [[String(pid), 'render', '4-2'], 2, /size\.min must be/],
    ]
    for (const [args, code, message] of wrong) {
      const answer = await ask('resize', ...args)
      assert.deepEqual([answer.code, answer.stdout], [code, ''])
      assert.match(answer.stderr, message)
    }
    assert.equal(await say('render.size'), '2')
  })

  test('a socket is for its user alone, is gone with the last pool, and keeps no program alive', async (t) => {
    const { folder, start, sockets, list } = user(t)
    const { pid, say, child, ended } = await start(TWO, control)
    const modeOf = (path) => statSync(join(folder, 'threadwise', path)).mode & 0o777
    if (!isWindows) assert.deepEqual(['pools', `pools/${pid}.sock`].map(modeOf), [0o700, 0o600])
    assert.match(await say('render.close({ timeout: -1 })'), /timeout must be/) // and so it goes on
    assert.equal((await list()).pools.length, 2)
    await say('render.close()')
    assert.deepEqual(
      (await list()).pools.map(({ name }) => name),
      ['parse'],
    )
    await say('parse.destroy()')
    assert.deepEqual(sockets(), [])
    await say("globalThis.again = threads(tasks, { name: 'again', size: 1 })")
    assert.deepEqual(
      (await list()).pools.map(({ name }) => name),
      ['again'],
    )
    child.stdin.end()
    assert.equal(await ended, 0)
    assert.deepEqual(sockets(), [])
  })

  test(
    'what a killed program has left is removed, and what does not answer is told',
    withSignals,
    async (t) => {
      const { start, sockets, ask, list } = user(t)
      const killed = await start(TWO, control)
      const stopped = await start(TWO, control)
      killed.child.kill('SIGKILL')
      await killed.ended
      stopped.child.kill('SIGSTOP')
      t.after(() => stopped.child.kill('SIGCONT'))
      const { code, stderr } = await ask('pools')
      assert.equal(code, 0)
      assert.match(stderr, new RegExp(`Without an answer within 3 seconds: ${stopped.pid}\\.`))
      assert.deepEqual(sockets(), [`${stopped.pid}.sock`])
      assert.deepEqual((await list()).silent, [stopped.pid])
    },
  )

  test('nothing that a client sends is trusted', async (t) => {
    const { folder, start, list } = user(t)
    const { pid, say } = await start(TWO, control)
    const path = join(folder, 'threadwise/pools', `${pid}.sock`)
    const resize = (pool, size) => `${JSON.stringify({ command: 'resize', pool, size })}\n`
    const refused = ['\n', 'null\n', '{"command":"exit"}\n', '[{}]\n', '\u0000\n', resize('render', 1e9), resize('render', '5'), resize('render', { max: 2, x: 1 }), resize('nameless', 1), resize({}, 1), resize('__proto__', 1)] // prettier-ignore
    for (const line of refused) assert.match(await send(path, line), /^\{"ok":false,/, line)
    assert.equal(await send(path, 'x'.repeat(10_000)), '', 'a line without an end')
    assert.equal(await send(path, `${' '.repeat(5000)}{"command":"pools"}\n`), '')
    const many = await Promise.all(Array.from({ length: 40 }, () => send(path, '{"command":"pools"}\n')))
    assert.ok(many.some((answer) => answer.startsWith('{"ok":true')))
    assert.equal(await say('[render.size, render.stats().failed]'), '[2,0]')
    assert.equal((await list()).pools.length, 2)
  })

  test('what another listener answers is no list of pools', async (t) => {
    const { folder, list } = user(t)
    mkdirSync(join(folder, 'threadwise/pools'), { recursive: true, mode: 0o700 })
    chmodSync(join(folder, 'threadwise'), 0o700)
    const answers = ['{"ok":true}\n', '{"ok":true,"pools":[{"name":"\u001b[2J"}]}\n', 'x'.repeat(2_000_000)]
    for (const [i, text] of answers.entries()) {
      const path = join(folder, 'threadwise/pools', `${i + 1}.sock`)
      const { server, close } = listenAt(
        path,
        (socket) => socket.on('error', () => {}).end(text),
        () => {},
      )
      await once(server, 'listening')
      t.after(close)
    }
    writeFileSync(join(folder, 'threadwise/pools/notes.txt'), 'no socket')
    assert.deepEqual(await list(), { pools: [], silent: [] })
  })

  test('without being asked for nothing of it is loaded or opened', async (t) => {
    const { start, sockets } = user(t)
    const { say } = await start(TWO)
    assert.deepEqual(sockets(), [])
    assert.equal(
      await say("process.getActiveResourcesInfo().filter((name) => name === 'PipeWrap').length > 5"),
      'false',
    )
    const refused = await say('threads(tasks, { control: true })')
    assert.match(refused, /name must be given beside control/)
  })

  test('where no socket can be made, the program is warned and goes on', async (t) => {
    const { folder, start } = user(t)
    writeFileSync(join(folder, 'threadwise'), 'a file where the folder should be')
    const { first, say } = await start(TWO, control)
    assert.deepEqual(
      first.filter((line) => line !== 'begins'),
      ['warning TW_WARN_CONTROL'],
    )
    assert.equal(await say('render.run("double", [3])'), '6')
  })
})

/** What comes back until the other side closes. */
function send(path, text) {
  return new Promise((resolve) => {
    let answer = ''
    const socket = connectTo(path, () => {
      socket.setEncoding('utf8').on('data', (data) => (answer += data))
      socket.write(text)
    })
    socket.on('error', () => resolve(answer))
    socket.on('close', () => resolve(answer))
  })
}
