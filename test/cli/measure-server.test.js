// threadwise measure --server, and serve -i auto, on the real program.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../helpers/files.js'
import { fixture, measuredCodes, run, start } from '../helpers/program.js'

const sleeping = fixture('servers/measured/sleeping.js')
/** The smallest: a round, one process twice and a cluster, within a few seconds. */
const small = ['--quick', '--rounds', '1', '--instances', '2', '--connections', '8', '--seed', '1'] // prettier-ignore
const measure = (file, ...args) => run(['measure', '--server', file, ...small, ...args], { limitMs: 110_000 })

function folderFor(t, files) {
  const folder = temporaryFolder(t)
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

describe('threadwise measure --server', () => {
  test('measures one process and a cluster; prints what to run, writes JSON and a page, saves nothing untold', async (t) => {
    const folder = folderFor(t, { 'package.json': '{}', 'server.mjs': readFileSync(sleeping, 'utf8') })
    const [page, json] = [join(folder, 'report.html'), join(folder, 'result.json')]
    const files = ['--html', page, '--json', json, '--save']
    const { code, stdout, stderr } = await measure(join(folder, 'server.mjs'), ...files)
    assert.ok(measuredCodes.includes(code), `${code}: ${stderr}`)
    const result = JSON.parse(readFileSync(json, 'utf8'))
    assert.deepEqual([result.version, result.kind, result.complete], [1, 'server', true])
    assert.deepEqual(result.cells.map(({ name }) => name), ['one process', 'cluster of 2']) // prettier-ignore
    for (const { name, failed, throughput, latency } of result.cells) {
      assert.equal(failed, null, name)
      // Eight connections, each answered after 20 ms or more.
      assert.ok(throughput.median > 0 && throughput.median <= 420, `${name}: ${throughput.median}`)
      assert.deepEqual(latency.map(({ share }) => share), [0.7], name) // prettier-ignore
      assert.ok(latency.every(({ p50 }) => p50 >= 19), JSON.stringify(latency)) // prettier-ignore
    }
    assert.equal(result.advice[0].verdict, 'cannot-tell', 'one round tells nothing')
    assert.match(readFileSync(page, 'utf8'), /<h1>What to run<\/h1>/)
    assert.match(stderr, /^\d+ of at most 40 s, at .* CPUs?: comparing 1 with one process$/m)
    assert.match(stderr, /: timing answers$/m)
    assert.match(stderr, /Not saved: nothing could be told from this run\./)
    assert.equal(existsSync(join(folder, 'threadwise.json')), false)
    assert.match(stdout, /^(Keep one process|Cannot tell) at /)
    assert.match(stdout, /^one process +\d.* 1 +baseline/m)
    assert.match(stdout, /^cluster of 2 +\d/m)
    assert.match(stdout, /latency at equal rates/)
    assert.match(stdout, /^npx threadwise measure --server /m)
  })

  test('passes what stands after -- to one process and to the instances of a cluster, and times answers at --rate', async (t) => {
    const text = `import { createServer } from 'node:http'
      const [, , flag, word] = process.argv
      const isRight = flag === '--name' && word === 'two words' && process.argv.length === 4
      createServer((_, response) => response.writeHead(isRight ? 200 : 500).end()).listen(process.env.PORT)`
    const folder = folderFor(t, { 'server.mjs': text })
    const given = ['--json', '-', '--rate', '40', '--', '--name', 'two words']
    const { code, stdout, stderr } = await measure(join(folder, 'server.mjs'), ...given)
    assert.ok(measuredCodes.includes(code), `${code}: ${stderr}`)
    const { cells, server, settings } = JSON.parse(stdout)
    assert.deepEqual(cells.map(({ failed, errorRate }) => [failed, errorRate]), [[null, 0], [null, 0]]) // prettier-ignore
    assert.deepEqual(server.args, ['--name', 'two words'])
    assert.ok(cells.every(({ latency }) => latency.length === 1 && latency[0].rate === 40))
    assert.match(settings.command, / -- --name 'two words'$/)
  })

  test('measures a page whose answers take longer than a window', async (t) => {
    const text = `require('node:http').createServer((_, response) => setTimeout(() => response.end(), 700)).listen(process.env.PORT)`
    const folder = folderFor(t, { 'server.cjs': text })
    const { code, stdout, stderr } = await measure(join(folder, 'server.cjs'), '--json', '-')
    assert.ok(measuredCodes.includes(code), `${code}: ${stderr}`)
    for (const { name, failed, throughput, errorRate } of JSON.parse(stdout).cells) {
      assert.deepEqual([failed, errorRate], [null, 0], name)
      // Eight connections, each answered after 700 ms or a little more.
      assert.ok(throughput.median > 3 && throughput.median < 12, `${name}: ${throughput.median}`)
    }
  })

  test('leaves no process behind when it is interrupted', async (t) => {
    const folder = folderFor(t, { 'mark.mjs': readFileSync(sleeping, 'utf8') })
    const { child, ended } = start(['measure', '--server', join(folder, 'mark.mjs'), '--quick'])
    await new Promise((resolve) => child.stderr.on('data', (text) => /warming up/.test(text) && resolve()))
    child.kill('SIGINT')
    const { code, stderr } = await ended
    assert.equal(code, 130, stderr)
    if (!existsSync('/proc')) return
    const { readdirSync } = await import('node:fs')
    const commands = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(commandOf) // prettier-ignore
    assert.deepEqual(commands.filter((command) => command.includes(folder)), []) // prettier-ignore
  })
})

describe('threadwise serve -i auto', () => {
  /** What it logs until it serves; then it is stopped. */
  async function served(t, profile) {
    const folder = folderFor(t, { 'server.mjs': readFileSync(sleeping, 'utf8'), ...profile })
    const env = { XDG_RUNTIME_DIR: folder, PORT: '0' }
    const { child, ended } = start(['serve', join(folder, 'server.mjs'), '-i', 'auto'], { env })
    t.after(() => child.kill('SIGKILL'))
    let isStopped = false // a second signal would end it at once
    child.stderr.on('data', (text) => {
      if (!isStopped && / serves\n/.test(text)) isStopped = child.kill('SIGTERM')
    })
    const { code, stderr } = await ended
    return { code, stderr }
  }

  test('starts what was measured', async (t) => {
    const choice = { cpus: 0.01, instances: 1, sentence: 'Keep one process.', measuredAt: '', node: '' }
    const text = JSON.stringify({ version: 1, modules: {}, servers: { 'server.mjs': [choice] } })
    const { code, stderr } = await served(t, { 'threadwise.json': text })
    assert.match(
      stderr,
      /^server: auto: 1 instance at .*: Keep one process\.\nserver: starting 1 instance of /,
    )
    assert.equal(code, 0, stderr)
  })

  test('says that nothing was measured, and starts max', async (t) => {
    const { code, stderr } = await served(t, {})
    assert.match(stderr, /^server: auto: no measurement of .*server\.mjs was found, so max is used; /)
    assert.equal(code, 0, stderr)
  })

  test('does not start with a profile that is broken', async (t) => {
    const { code, stderr } = await served(t, { 'threadwise.json': '{' })
    assert.match(stderr, /TW_ERR_PROFILE_INVALID/)
    assert.equal(code, 1)
  })
})

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

describe('a server that cannot be measured ends the run with 1, and the reason', () => {
  const servers = {
    'throws.mjs': [`throw new TypeError('no database')`, /it ended with exit code 1: TypeError: no database/],
    'ends.mjs': ['', /it ended with exit code 0/],
    'refuses.mjs': [
      `import { createServer } from 'node:http'
       createServer((_, response) => response.writeHead(500).end()).listen(process.env.PORT)`,
      /it answered GET \/ with status 500/,
    ],
    'speaks.mjs': [
      `import { createServer } from 'node:net'
       createServer((socket) => socket.end('hello')).listen(process.env.PORT)`,
      /it did not answer a request \(/,
    ],
    'path.mjs': [
      `import { createServer } from 'node:http'
       createServer().listen(process.env.TMPDIR + '/server.sock')`,
      /it listens on a path, and not on a port/,
    ],
  }
  for (const [name, [text, reason]] of Object.entries(servers)) {
    test(name, async (t) => {
      const folder = folderFor(t, { [name]: text })
      const args = ['measure', '--server', join(folder, name), ...small]
      const { code, stdout, stderr } = await run(args, { env: { TMPDIR: folder } })
      assert.match(stderr, reason)
      assert.match(stderr, /Nothing was measured\..*\[TW_ERR_INSTANCE_FAILED\]/s)
      assert.deepEqual([code, stdout], [1, ''])
    })
  }
})

describe('wrong usage ends with exit code 2 and says what was expected', () => {
  const wrong = [
    [['--server'], /missing required argument 'file'/],
    [['--server', 'no-such-file.js'], /file must be a file that exists, and that starts an HTTP server/],
    [['--server', sleeping, '--path', 'main'], /path must be a path that begins with \//],
    [['--server', sleeping, '--offload-path', '/'], /offloadPath must be another path than \//],
    [['--server', sleeping, '--cpus', '0'], /cpus must be a list of positive numbers/],
    [['--server', sleeping, '--instances', '0'], /instances must be a list of whole numbers/],
    [['--server', sleeping, '--connections', '0'], /connections must be a whole number from 1/],
    [['--server', sleeping, '--rounds', '1.5'], /rounds must be a whole number of at least 1/],
    [['--server', sleeping, '--worth', '0.5'], /worth must be a number of at least 1/],
    [['--server', sleeping, '--budget', '-1'], /budget must be a number of seconds/],
    [['--server', sleeping, '--task', 'x'], /task must be left out with --server/],
    [['--server', sleeping, '--rate', '0'], /rate must be a number of requests per second/],
    [
      ['tasks.js', '--task', 'x', '--', 'word'],
      /args must be given by --args: only a server gets words after --/,
    ],
    [['tasks.js', '--path', '/'], /path must be used together with --server/],
  ]
  for (const [args, pattern] of wrong) {
    test(`threadwise measure ${args.join(' ').replace(sleeping, 'FILE')}`, async () => {
      const { code, stdout, stderr } = await run(['measure', ...args])
      assert.match(stderr, pattern)
      assert.deepEqual([code, stdout], [2, ''])
      assert.doesNotMatch(stderr, /\n\s+at /, 'no stack')
    })
  }
})
