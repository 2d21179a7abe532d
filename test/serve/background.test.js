// serve --daemon: when the command returns, what the log of a service holds, and what is left behind.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { livingWith } from '../helpers/processes.js'
import { background } from '../helpers/background.js'
import { start } from '../helpers/program.js'
import { program, textOf } from '../helpers/services.js'
import { waitUntil } from '../helpers/waiting.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

test('it returns when the service serves; commands reach it, and stop ends it whole', limit, async (t) => {
  const { run, path, url, variable, state } = await background(t)
  const started = await run('serve', path, '-i', '2', '--name', 'web', '--daemon')
  assert.equal(started.code, 0, started.stderr)
  assert.match(
    started.stdout,
    /^web: serves in the background, process \d+, 2 instances\nlog: \S+web\.log\n$/,
  )
  assert.equal(await textOf(url), 'hello')
  const [, pid] = /process (\d+)/.exec(started.stdout)
  const session = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')[3]
  assert.equal(session, pid, 'it has a session of its own')

  assert.match((await run('list')).stdout, /\nweb +serving +2 of 2/)
  assert.equal((await run('reload', 'web')).code, 0)
  assert.equal(await textOf(url), 'hello')
  const second = await run('serve', path, '--name', 'web', '--daemon')
  assert.deepEqual([second.code, /TW_ERR_SERVICE_EXISTS/.test(second.stderr)], [1, true], second.stderr)

  assert.equal((await run('stop', 'web')).code, 0)
  assert.deepEqual(await livingWith(variable), [])
  assert.equal(statSync(state).mode & 0o777, 0o700)
  for (const name of readdirSync(state)) assert.equal(statSync(join(state, name)).mode & 0o777, 0o600)
})

test(
  'one that cannot start says why, ends with exit code 1, and leaves nothing running',
  limit,
  async (t) => {
    const { run, path, variable, logOf } = await background(t)
    writeFileSync(path, `console.log('here'); throw new Error('broken')`)
    const { code, stdout, stderr } = await run('serve', path, '-i', '1', '--daemon')
    assert.deepEqual([code, stdout], [1, ''])
    assert.match(stderr, /ended with exit code 1\. Nothing was started.*TW_ERR_INSTANCE_FAILED/)
    assert.deepEqual(await livingWith(variable), [])
    const log = logOf('server')
    assert.match(log, /\[1\] here\n/)
    assert.match(log, /\[1 err\] Error: broken\n/)
    assert.match(log, /\[serve\] An instance of .* did not become ready/)
  },
)

test('a signal to the command while the service starts ends both', limit, async (t) => {
  const { env, path, variable, logOf } = await background(t)
  writeFileSync(path, `console.log('waits'); setInterval(() => {}, 1000)`)
  const { child, ended } = start(['serve', path, '-i', '1', '--daemon'], { env })
  await waitUntil(() => logOf('server').includes('waits'))
  child.kill('SIGINT')
  assert.equal((await ended).code, 130)
  assert.deepEqual(await livingWith(variable), [])
})

test('a process that dies before it serves is reported, with its output', limit, async (t) => {
  const { run, path } = await background(t)
  const early = `if (process.argv[1]?.endsWith('serve-process.js')) throw Error('early')`
  const { code, stderr } = await run('serve', path, '--daemon', '--name', 'x'.repeat(40), {
    env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(early)}` },
  })
  assert.equal(code, 1)
  assert.match(
    stderr,
    /did not start in the background: [^]*early[^]*\(its process ended with exit code 1 before it served\)[^]*TW_ERR_BACKGROUND_FAILED/,
  )
})

test('no line of any instance is lost or cut, over rotations, reloads and the stop', limit, async (t) => {
  const { run, path, url, state, variable } = await background(t)
  const each = 3000
  const text = program(
    'hello',
    `for (let i = 0; i < ${each}; i++) {
       process.stdout.write('out ' + process.pid + ' ' + i + ' ')
       process.stdout.write('ä'.repeat(i % 50) + '\\n')
       if (i % 3 === 0) process.stderr.write('err ' + process.pid + ' ' + i + '\\n')
     }
     process.on('SIGTERM', () => {
       for (let i = ${each}; i < ${2 * each}; i++) process.stdout.write('out ' + process.pid + ' ' + i + ' ' + 'ä'.repeat(i % 50) + '\\n')
       process.exit()
     })`,
  )
  writeFileSync(path, text)
  const logged = ['--log-size', '20k', '--log-files', '900']
  assert.equal((await run('serve', path, '-i', '2', '--name', 'web', '--daemon', ...logged)).code, 0)
  for (let round = 0; round < 2; round++) assert.equal((await run('reload', 'web')).code, 0)
  assert.equal(await textOf(url), 'hello')
  assert.equal((await run('stop', 'web')).code, 0)
  assert.deepEqual(await livingWith(variable), [])

  const names = readdirSync(state).filter((name) => name.startsWith('web.log'))
  assert.ok(names.length > 20)
  const seen = new Map()
  const ageOf = (name) => Number(name.slice('web.log.'.length))
  for (const name of names.sort((a, b) => ageOf(b) - ageOf(a))) {
    const content = readFileSync(join(state, name), 'utf8')
    assert.ok(content.length <= 20 * 1024 && content.endsWith('\n'), name)
    for (const line of content.slice(0, -1).split('\n')) {
      const [, from, said] = /^\S{24} \[([^\]]+)\] (.*)$/.exec(line) ?? assert.fail(line)
      if (from === 'serve') continue
      const [, kind, pid, i, tail] = /^(out|err) (\d+) (\d+)(?: (ä*))?$/.exec(said) ?? assert.fail(line)
      if (kind === 'out') assert.equal(tail.length, Number(i) % 50)
      const key = `${kind} ${pid}`
      seen.set(key, [...(seen.get(key) ?? []), Number(i)])
    }
  }
  const outs = [...seen].filter(([key]) => key.startsWith('out'))
  const errs = [...seen].filter(([key]) => key.startsWith('err'))
  assert.deepEqual([outs.length, errs.length], [6, 6])
  for (const [key, numbers] of outs) assert.deepEqual(numbers, Array.from({ length: 2 * each }, (_, i) => i), key) // prettier-ignore
  for (const [key, numbers] of errs) assert.deepEqual(numbers, Array.from({ length: each / 3 }, (_, i) => 3 * i), key) // prettier-ignore
})

test(
  'when its process is killed, instances that write go on with their requests, and end',
  limit,
  async (t) => {
    const { run, path, url, variable } = await background(t)
    writeFileSync(path, program('hello', `setInterval(() => console.log('tick'), 5)`))
    const { stdout } = await run('serve', path, '-i', '1', '--daemon')
    const late = await fetch(`${url}late`)
    process.kill(Number(/process (\d+)/.exec(stdout)[1]), 'SIGKILL')
    assert.equal(await late.text(), 'hello')
    assert.deepEqual(await livingWith(variable, 15_000), [])
  },
)

test(
  'a program that outlives its instance and holds its output does not hold up reload and stop',
  limit,
  async (t) => {
    const { run, path, variable } = await background(t)
    const child = `import { spawn } from 'node:child_process'; spawn('sleep', ['30'], { stdio: 'inherit', detached: true }).unref();`
    writeFileSync(path, child + program('hello'))
    t.after(() => livingWith(variable, 0).then((pids) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'))))
    assert.equal((await run('serve', path, '-i', '1', '--daemon')).code, 0)
    assert.equal((await run('reload', 'server')).code, 0)
    assert.equal((await run('stop', 'server')).code, 0)
    const left = () => livingWith(variable, 0)
    const end = Date.now() + 10_000
    while ((await left()).length > 2 && Date.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 50))
    assert.equal((await left()).length, 2, 'the two programs alone')
  },
)

test(
  'a program that an instance has started, and that goes on writing, does not hold up the stop',
  limit,
  async (t) => {
    const chatter = `setInterval(() => console.log('still here'), 20); setTimeout(() => process.exit(), 30_000)`
    const more = `spawn(process.execPath, ['-e', ${JSON.stringify(chatter)}], { stdio: 'inherit', env: {} })`
    const { run, path } = await background(
      t,
      `import { spawn } from 'node:child_process'\n${program('hello', more)}`,
    )
    const { stdout } = await run('serve', path, '-i', '1', '--name', 'web', '--daemon')
    const pid = Number(/process (\d+)/.exec(stdout)[1])
    assert.equal((await run('stop', 'web')).code, 0)
    await waitUntil(() => !isRunning(pid), 'the program has ended')
  },
)

function isRunning(pid) {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('a second start of a name leaves the faults of the first where they are', limit, async (t) => {
  const { run, path, state } = await background(t)
  const words = ['serve', path, '-i', '1', '--name', 'web', '--daemon']
  assert.equal((await run(...words)).code, 0)
  writeFileSync(join(state, 'web.err'), 'a fault', { flag: 'a' })
  assert.equal((await run(...words)).code, 1)
  assert.equal(readFileSync(join(state, 'web.err'), 'utf8'), 'a fault')
  const left = readdirSync(state).filter((name) => !/^\.web\.lock\.\d+$|^web\.\d+\.run\.json$/.test(name))
  assert.deepEqual(left.sort(), ['web.app.json', 'web.err', 'web.log'])
  assert.equal((await run('stop', 'web')).code, 0)
})

test('wrong options are wrong usage', limit, async (t) => {
  const { run, path } = await background(t)
  for (const [args, reason] of [
    [['serve', path, '--daemon', '--log-size', '3'], /logSize must be/],
    [['serve', path, '--daemon', '--log-files', '1'], /logFiles must be/],
    [['serve', path, '--log-files', '3'], /--log-files must be left out without --daemon/],
    [['logs', '../web'], /name must be/],
    [['logs', 'web', '--lines', '-1'], /--lines must be/],
  ]) {
    const { code, stderr } = await run(...args)
    assert.deepEqual([code, reason.test(stderr)], [2, true], `${args.join(' ')}: ${stderr}`)
  }
})
