// What an instance has started ends with it, however that ends.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../helpers/free-port.js'
import { livingWith } from '../helpers/processes.js'
import { serveCommand } from '../helpers/serve-command.js'
import { program, service, textOf } from '../helpers/services.js'

const limit = { timeout: 100_000, skip: process.platform !== 'linux' && 'processes are found in /proc' }

const starting = `
  import { spawn } from 'node:child_process'
  spawn('sleep', ['1000'], { stdio: 'ignore' })
  spawn('sh', ['-c', 'trap "" TERM; sleep 1000'], { stdio: 'ignore' })`
const parent = `${starting}\n${program('hello')}`

/** A mark in the environment of all that a service starts. */
async function marked(t, text, options = {}) {
  const mark = `left-behind-${process.pid}-${await freePort()}`
  const env = { LEFT_BEHIND: mark, ...options.env }
  return { ...(await service(t, text, { ...options, env })), variable: `LEFT_BEHIND=${mark}` }
}

test('after a reload and a stop', limit, async (t) => {
  const { service: server, variable } = await marked(t, parent, { instances: 2 })
  const before = await livingWith(variable, 0)
  await server.reload()
  const left = (await livingWith(variable, 0)).filter((pid) => before.includes(pid))
  assert.deepEqual(left, [], 'of the old instances')
  await server.stop()
  assert.deepEqual(await livingWith(variable, 0), [])
})

test('after a crash', limit, async (t) => {
  const { service: server, seen, variable } = await marked(t, parent, { instances: 1 })
  const before = await livingWith(variable, 0)
  const gone = seen(({ type }) => type === 'gone')
  process.kill(server.status().instances[0].pid, 'SIGKILL')
  await gone
  assert.deepEqual((await livingWith(variable, 0)).filter((pid) => before.includes(pid)), []) // prettier-ignore
})

test('after a start that failed: a server that it has started holds no port', limit, async (t) => {
  const mark = `left-behind-${process.pid}-${await freePort()}`
  const port = String(await freePort())
  const text = `import { spawn } from 'node:child_process'
    const server = 'require("node:http").createServer((_, response) => response.end("child")).listen(Number(process.env.PORT))'
    spawn(process.execPath, ['-e', server], { stdio: 'ignore' })
    setTimeout(() => process.exit(3), 1500)`
  await assert.rejects(
    service(t, text, { instances: 1, env: { LEFT_BEHIND: mark, PORT: port } }),
    /exit code 3/,
  )
  assert.deepEqual(await livingWith(`LEFT_BEHIND=${mark}`, 0), [])
  await assert.rejects(textOf(`http://127.0.0.1:${port}/`))
})

test('after kill -9 of the primary', limit, async (t) => {
  const { child, variable } = await serveCommand(t, { text: parent, args: ['--grace', '500'] })
  child.kill('SIGKILL')
  assert.deepEqual(await livingWith(variable, 20_000), [])
})
