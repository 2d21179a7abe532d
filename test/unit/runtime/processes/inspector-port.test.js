// Each child has a port of its own for Node's inspector, wherever the option stands.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createServer } from 'node:net'
import { describe, test } from 'node:test'
import { once } from 'node:events'
import { inspectorOf } from '../../../../build/runtime/processes/inspector-port.js'

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

const show = `import { processes } from 'threadwise'
const [size, options] = process.argv.slice(1)
const pools = [0, 1].map(() => processes(new URL(${JSON.stringify(new URL('../../../fixtures/tasks/basic.js', import.meta.url).href)}), { size: Number(size), ...JSON.parse(options) }))
await Promise.all(pools.map((pool) => pool.ready))
console.log(await pools[0].run('add', [1, 2]))
await Promise.all(pools.map((pool) => pool.close()))`

function run({ size = 2, options = {}, env = {}, execArgv = [] }) {
  const args = [...execArgv, '--input-type=module', '-e', show, `${size}`, JSON.stringify(options)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', cwd: new URL('../../../..', import.meta.url), env: { ...process.env, NODE_OPTIONS: '', ...env } }) // prettier-ignore
  const ports = [...stderr.matchAll(/listening on ws:\/\/[^:]+:(\d+)/g)].map(([, port]) => Number(port))
  return { stdout, stderr, ports }
}

describe('children that run', () => {
  const ways = {
    'NODE_OPTIONS of the program': (port) => [{ env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` } }, 5],
    'NODE_OPTIONS with --inspect-brk in env of the pool would wait; the port alone opens nothing': (port) => [{ options: { env: { NODE_OPTIONS: `--inspect-port=${port}` } } }, 0], // prettier-ignore
    'execArgv of the pool': (port) => [{ options: { execArgv: [`--inspect=127.0.0.1:${port}`] } }, 4],
    'env of the pool': (port) => [{ options: { env: { NODE_OPTIONS: `--inspect=127.0.0.1:${port}` } } }, 4],
    'the command line of the program': (port) => [{ execArgv: [`--inspect=127.0.0.1:${port}`] }, 1],
    'both': (port) => [{ execArgv: [`--inspect=127.0.0.1:${port}`], options: { execArgv: [`--inspect=127.0.0.1:${port}`] } }, 5], // prettier-ignore
  }
  for (const [where, make] of Object.entries(ways))
    test(where, async () => {
      const port = await freePort()
      const [how, listening] = make(port)
      const { stdout, stderr, ports } = run(how)
      assert.match(stdout, /^3\n/)
      assert.doesNotMatch(stderr, /in use|failed/)
      assert.equal(new Set(ports).size, listening)
      assert.equal(ports.length, listening)
      if (listening > 0) assert.ok(ports.includes(port))
    })
})

describe('what a child is given', () => {
  const given = (execArgv, NODE_OPTIONS) =>
    inspectorOf({ execArgv, env: NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS } })

  test('nothing where nobody asks for an inspector', () => {
    for (const [execArgv, options] of [
      [[]],
      [['--no-warnings', '--inspect-publish-uid=http']],
      [[], '--max-old-space-size=99'],
    ])
      assert.deepEqual(given(execArgv, options).options, [])
  })

  test('the port as it is given, once at a time', () => {
    const execArgv = ['--enable-source-maps', '--inspect-port=9391', '--inspect']
    const first = given(execArgv)
    assert.deepEqual(first.options, [])
    assert.deepEqual(given(execArgv).options, ['--inspect-port=0'])
    assert.deepEqual(given(['--inspect=9392']).options, [])
    first.release()
    assert.deepEqual(given(execArgv).options, [])
  })

  test('what it inherits does not make it wait for a debugger', (t) => {
    const before = process.env.NODE_OPTIONS
    t.after(() =>
      before === undefined ? delete process.env.NODE_OPTIONS : (process.env.NODE_OPTIONS = before),
    )
    for (const [options, expected] of [
      ['--inspect-brk', '--inspect'],
      [
        '--no-warnings --inspect-brk=127.0.0.1:9393 --import x',
        '--no-warnings --inspect=127.0.0.1:9393 --import x',
      ],
      ['--inspect-wait=9394', '--inspect=9394'],
    ]) {
      process.env.NODE_OPTIONS = options
      const { env, options: added } = given([], options)
      assert.equal(env.NODE_OPTIONS, expected)
      assert.deepEqual(added, ['--inspect-port=0'])
    }
  })
})
