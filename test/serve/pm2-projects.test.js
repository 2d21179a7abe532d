// Projects that have a file of PM2 run by it, or it is said why not.
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { PROJECTS, withPorts } from '../fixtures/pm2-projects.js'
import { background } from '../helpers/background.js'
import { freePort } from '../helpers/free-port.js'
import { textOf } from '../helpers/services.js'
import { askUntil } from '../helpers/waiting.js'

const limit = { timeout: 110_000, skip: process.platform === 'win32' }

describe('a project with a file of PM2', { concurrency: 2 }, () => {
  for (const [what, project] of Object.entries(PROJECTS)) test(what, limit, (t) => runs(t, project))
})

async function runs(t, { config, text, files, links = {}, flags = [], ...right }) {
  const { run, folder } = await background(t)
  const ports = await portsFor(right.ports)
  const put = (path, content) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { mode: 0o755 })
  }
  for (const [path, content] of Object.entries({ ...files, [config]: text }))
    put(path, withPorts(content, ports))
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(target, join(folder, path))
  }
  const started = await run('serve', '--config', config, '--daemon', ...flags, { cwd: folder })
  if (right.refused) {
    assert.notEqual(started.code, 0)
    return assert.match(started.stderr, right.refused)
  }
  assert.equal(started.code, 0, started.stderr)
  for (const told of right.says ?? []) assert.match(started.stderr, told)
  await isRight(ports, run, right)
  if (right.isCluster) {
    assert.equal((await run('reload', 'all')).code, 0)
    await isRight(ports, run, right)
  }
}

async function isRight(ports, run, { answers = {}, state = {} }) {
  for (const [port, answer] of Object.entries(answers)) {
    const url = `http://127.0.0.1:${ports[port - 3000]}/`
    const got = await askUntil(() => textOf(url).catch(({ message }) => message), (found) => answer.test(found)) // what has no port that is shared serves before it listens
    assert.match(got, answer)
  }
  for (const [name, expected] of Object.entries(state))
    assert.equal(JSON.parse((await run('status', name, '--json')).stdout).state, expected)
} // prettier-ignore

async function portsFor(kind) {
  const first = await freePort()
  if (kind !== 'in a row') return [first, await freePort(), await freePort()]
  const isFree = await new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(first + 1, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? [first, first + 1] : portsFor(kind)
}
