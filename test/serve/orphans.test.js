// Whatever dies, and in whatever state: no process of the service is left.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { livingWith } from '../helpers/processes.js'
import { signalUntilEnded } from '../helpers/program.js'
import { serveCommand, works } from '../helpers/serve-command.js'
import { program, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' }
const grace = ['--grace', '500']

/** A server in which a path does the deed. */
const deeds = program(
  'hello',
  `
  const { writeSync } = await import('node:fs')
  server.prependListener('request', ({ url }) => {
    if (url !== '/' && url !== '/late') writeSync(2, 'instance does ' + url + '\\n')
    if (url === '/loop') while (true);
    if (url === '/native') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (url === '/exit') process.exit(3)
    if (url === '/abort') process.abort()
    if (url === '/throw') setImmediate(() => { throw new Error('on purpose') })
    if (url === '/reject') void Promise.reject(new Error('on purpose'))
    if (url === '/memory') for (const all = []; ; ) all.push(new Array(1e5).fill(0.5))
  })`,
)
const stubborn = program('hello', `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`)

const nobodyIsLeft = async (variable) => assert.deepEqual(await livingWith(variable, 20_000), [])

/** Resolves when so many instances are at it. */
async function make({ url, said }, path, times = 1) {
  for (let i = 0; i < times; i++) void fetch(`${url}${path}`).catch(() => {})
  await said(`instance does /${path}\n`, times)
}

for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGSEGV', 'SIGABRT']) {
  test(`${signal} ends the primary, instances idle`, limit, async (t) => {
    const { child, variable } = await serveCommand(t)
    child.kill(signal)
    await nobodyIsLeft(variable)
  })
}

for (const [what, path] of [
  ['in an endless loop', 'loop'],
  ['blocked in native code', 'native'],
]) {
  test(`kill -9 of the primary, all instances ${what}`, limit, async (t) => {
    const served = await serveCommand(t, { text: deeds, args: grace })
    const { child, variable } = served
    await make(served, path, 2)
    child.kill('SIGKILL')
    await nobodyIsLeft(variable)
  })
}

test('kill -9 of the primary, one instance in a loop and another one that answers', limit, async (t) => {
  const served = await serveCommand(t, { text: deeds, args: grace })
  const { child, url, variable } = served
  await make(served, 'loop')
  const late = await fetch(`${url}late`)
  child.kill('SIGKILL')
  assert.equal(await late.text(), 'hello')
  await nobodyIsLeft(variable)
})

for (const [what, text] of [
  ['loop', 'while (true);'],
  ['wait', 'await new Promise(() => setInterval(() => {}, 1000))'],
]) {
  test(`kill -9 of the primary, instances that ${what} while they start`, limit, async (t) => {
    const { child, variable } = await serveCommand(t, { text, args: grace, until: /starting 2/ })
    await new Promise((resolve) => setTimeout(resolve, 500))
    child.kill('SIGKILL')
    await nobodyIsLeft(variable)
  })
}

test('kill -9 of the primary at the moment at which it starts them', limit, async (t) => {
  const { child, variable } = await serveCommand(t, { until: /starting 2/ })
  child.kill('SIGKILL')
  await nobodyIsLeft(variable)
})

for (const [what, file, args, text] of [
  ['an instance that comes to a loop', 'server.mjs', [], 'while (true);'],
  ['a program without a port', 'bot.mjs', ['--portless'], 'setInterval(() => {}, 1000)'],
]) {
  test(`kill -9 of the primary when ${what} has begun, and nobody knows it yet`, limit, async (t) => {
    // The primary dies in the moment in which the system has started the process.
    const preload = `
      const { ChildProcess } = require('node:child_process')
      const { spawn } = ChildProcess.prototype
      if (process.argv[2] === 'serve') ChildProcess.prototype.spawn = function (options) {
        const result = spawn.call(this, options)
        if (options.args.some((word) => word.endsWith('${file}'))) {
          process.stderr.write('started ' + this.pid + '\\n')
          process.kill(process.pid, 'SIGKILL')
        }
        return result
      }`
    const path = join(temporaryFolder(t), 'preload.cjs')
    writeFileSync(path, preload)
    const env = { NODE_OPTIONS: `--require ${path}` }
    const { ended, variable } = await serveCommand(t, { text, file, args: [...args, ...grace], env, until: /started/, instances: 1 }) // prettier-ignore
    assert.equal((await ended).signal, 'SIGKILL')
    await nobodyIsLeft(variable)
  })
}

test('kill -9 of the primary while instances drain and do not want to end', limit, async (t) => {
  const { child, said, variable } = await serveCommand(t, { text: stubborn, args: grace })
  child.kill('SIGTERM')
  await said(/requests may end/)
  await new Promise((resolve) => setTimeout(resolve, 200))
  child.kill('SIGKILL')
  await nobodyIsLeft(variable)
})

test('kill -9 of the guard, then of the primary with instances in a loop', limit, async (t) => {
  const served = await serveCommand(t, { text: deeds, args: grace })
  const { child, variable } = served
  const [first] = await guards(variable)
  process.kill(first, 'SIGKILL')
  let second
  while (second === undefined || second === first) [second] = await guards(variable)
  await make(served, 'loop', 2)
  child.kill('SIGKILL')
  await nobodyIsLeft(variable)
})

test('kill -9 of the primary of a program that was started many times', limit, async (t) => {
  const text = 'setInterval(() => {}, 1000)'
  const served = await serveCommand(t, { text, args: ['--portless', ...grace], instances: 1 })
  const { child, said, variable } = served
  for (let times = 2; times <= 13; times++) {
    child.kill('SIGHUP')
    await said(/ serves\n/, times)
  }
  child.kill('SIGKILL')
  await nobodyIsLeft(variable)
})

test('a stop in the middle of a reload', limit, async (t) => {
  const { child, ended, said, variable } = await serveCommand(t)
  child.kill('SIGHUP')
  await said(/ serves\n/, 3)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await nobodyIsLeft(variable)
})

test('a stop while instances are in an endless loop: they are killed after the grace', limit, async (t) => {
  const served = await serveCommand(t, { text: deeds, args: grace })
  const { child, ended, variable } = served
  await make(served, 'loop', 2)
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await nobodyIsLeft(variable)
})

test('a second signal while instances are in an endless loop', limit, async (t) => {
  const served = await serveCommand(t, { text: deeds })
  const { child, ended, said, variable } = served
  await make(served, 'loop', 2)
  child.kill('SIGTERM')
  await said(/a second signal stops at once/)
  assert.equal((await signalUntilEnded({ child, ended }, 'SIGINT')).code, 130)
  await nobodyIsLeft(variable)
})

for (const path of ['exit', 'abort', 'throw', 'reject', 'memory']) {
  test(`an instance dies of /${path}: another one starts, and a stop leaves nobody`, limit, async (t) => {
    const env = { NODE_OPTIONS: '--max-old-space-size=40' }
    const served = await serveCommand(t, { text: deeds, env })
    const { child, ended, said, url, variable } = served
    await make(served, path)
    await said(/unexpectedly/)
    await said(/ serves\n/, 3)
    assert.equal(await textOf(url), 'hello')
    child.kill('SIGTERM')
    assert.equal((await ended).code, 0)
    await nobodyIsLeft(variable)
  })
}

test('a crash while it starts', limit, async (t) => {
  const { ended, variable } = await serveCommand(t, { text: `throw new Error('on purpose')` })
  assert.equal((await ended).code, 1)
  await nobodyIsLeft(variable)
})

test('nobody reads what it says any more: it goes on, and stops as usual', limit, async (t) => {
  const { child, ended, url, variable } = await serveCommand(t)
  child.stdout.destroy()
  child.stderr.destroy()
  const before = await textOf(`${url}pid`)
  process.kill(Number(before), 'SIGKILL') // which it wants to tell
  const pidNow = () => textOf(`${url}pid`).catch(() => before)
  await waitUntil(async () => (await pidNow()) !== before, 'another instance answers')
  for (let i = 0; i < 10; i++) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(await textOf(url), 'hello')
  }
  child.kill('SIGTERM')
  assert.equal((await ended).code, 0)
  await nobodyIsLeft(variable)
})

test('the terminal is closed', limit, async (t) => {
  if (!(await works('python3', ['--version']))) return t.skip('it needs python3')
  const { child, ended, variable } = await serveCommand(t, { via: ['python3', '-c', TERMINAL] })
  child.kill('SIGKILL')
  await ended
  await nobodyIsLeft(variable)
})

/** Runs its arguments on a terminal of their own, which closes when this is killed; what they say goes to standard error. */
const TERMINAL = `
import os, pty, sys
pid, fd = pty.fork()
if pid == 0: os.execvp(sys.argv[1], sys.argv[1:])
while True: os.write(2, os.read(fd, 1000).replace(b'\\r', b''))`

test('the shell that has started it dies: it goes on, and stops by its signal', limit, async (t) => {
  const { child, url, variable } = await serveCommand(t, { via: ['sh', '-c', '"$@" & wait', 'sh'] })
  child.kill('SIGKILL')
  await once(child, 'exit') // its words hold those of the command
  assert.equal(await textOf(url), 'hello')
  const [primary] = await processes(variable, /^[^\0]*node\0[^\0]*main\.js\0serve/)
  process.kill(primary, 'SIGTERM')
  await nobodyIsLeft(variable)
})

test('kill -9 of process 1 of a container', limit, async (t) => {
  const via = ['unshare', '--pid', '--fork', '--mount-proc']
  if (!(await works(via[0], [...via.slice(1), 'true']))) return t.skip('unshare is not allowed')
  const served = await serveCommand(t, { via, text: deeds })
  const { variable } = served
  await make(served, 'loop', 2)
  const [first] = await processes(variable, /^[^\0]*node\0[^\0]*main\.js\0serve/)
  process.kill(first, 'SIGKILL')
  await nobodyIsLeft(variable)
})

const guards = (variable) => processes(variable, /threadwise-guard/)

/** Those whose command line matches. */
async function processes(variable, pattern) {
  const commandOf = (pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    } catch {
      return ''
    }
  }
  return (await livingWith(variable, 0)).filter((pid) => pattern.test(commandOf(pid)))
}
