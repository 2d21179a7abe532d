// Instances that run and answer nobody: each is noticed and told, and replaced where it cannot come back by itself.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockade } from '../helpers/blocking.js'
import { serveCommand } from '../helpers/serve-command.js'
import { keptConnection, program, service, textOf } from '../helpers/services.js'
import { askUntil } from '../helpers/waiting.js'

const limit = { timeout: 90_000, skip: process.platform === 'win32' }
const isRenewing = ({ type }) => type === 'renewing'
const isWarning = ({ type }) => type === 'warning'
const isGone = ({ type }) => type === 'gone'

const withPath = (path, code) =>
  program('hello').replace('if (', `if (request.url === '/${path}') { ${code} } else if (`)

test(
  'a server that is closed while clients stay connected is replaced, and they are answered',
  limit,
  async (t) => {
    const text = withPath('close', `server.close(); response.end('closing')`)
    const { service: server, url, seen } = await service(t, text, { instances: 1 })
    const kept = keptConnection(t, url)
    await kept.get()
    const [renewing, gone] = [seen(isRenewing), seen(isGone)]
    const asking = setInterval(() => void kept.get().catch(() => {}), 100) // it is never idle
    t.after(() => clearInterval(asking))
    await kept.get('/close')
    const { limit: reached, found } = await renewing
    assert.deepEqual([reached, found], ['listening', 'it closed its server'])
    await gone
    assert.equal(await textOf(url), 'hello')
    assert.equal(server.status().crashes, 0)
  },
)

/** It computes in a timer until the test releases it; not when the folder of the test is gone. */
const spinning =
  withPath('spin', `response.end('soon'); setTimeout(spin, 50)`) +
  `
  import { existsSync, writeFileSync } from 'node:fs'
  function spin() {
    const { BLOCKED, RELEASED } = process.env
    writeFileSync(BLOCKED, String(process.pid))
    while (!existsSync(RELEASED) && existsSync(BLOCKED));
  }`

async function spins({ url, blocked }) {
  assert.equal(await textOf(`${url}spin`), 'soon')
  await blocked()
}

for (const [what, silence, wake] of [
  ['is suspended', ({ pid }) => send(pid, 'SIGSTOP'), ({ pid }) => send(pid, 'SIGCONT')],
  ['computes in a timer', spins, ({ release }) => release()],
]) {
  test(
    `an instance that ${what}: the service says that it is degraded, until it answers again`,
    limit,
    async (t) => {
      const { env, blocked, release } = blockade(t)
      const { service: server, url, seen } = await service(t, spinning, { instances: 1, env })
      const { pid, id } = server.status().instances[0]
      t.after(() => send(pid, 'SIGCONT'))
      const warning = seen(isWarning)
      await silence({ pid, url, blocked })
      const answered = textOf(url)
      const { text } = await warning
      assert.match(
        text,
        new RegExp(`^Instance ${id} \\(process ${pid}\\) takes no connections and does not answer`),
      )
      const { state, lastProblem, instances } = server.status()
      assert.deepEqual([state, lastProblem, instances[0].state], ['degraded', text, 'failing'])
      const recovered = seen(isWarning)
      wake({ pid, release })
      assert.equal((await recovered).text, `Instance ${id} (process ${pid}) answers again.`)
      assert.equal(await answered, 'hello')
      assert.equal(server.status().state, 'serving')
      assert.equal(server.status().renewals, 0)
    },
  )
}

test('with hangTimeout one that is suspended is replaced, and its connection answered', limit, async (t) => {
  const {
    service: server,
    url,
    seen,
  } = await service(t, program('hello'), { instances: 1, hangTimeout: 1000 })
  const { pid } = server.status().instances[0]
  const gone = seen(isGone)
  send(pid, 'SIGSTOP')
  t.after(() => send(pid, 'SIGKILL'))
  const answered = textOf(url)
  assert.deepEqual(await gone.then((event) => [event.pid, event.how]), [pid, 'by SIGKILL'])
  assert.equal(await answered, 'hello')
  assert.equal(server.status().renewals, 1)
})

test(
  'an instance that is out of file descriptors is replaced, and who waits is answered',
  limit,
  async (t) => {
    const text = withPath(
      'exhaust',
      `import('node:fs').then(({ openSync }) => {
      const open = () => { try { for (;;) openSync('/dev/null') } catch ({ code }) { return code } }
      response.end(open())
      setInterval(open, 5) // the one of this connection, too
    })`,
    )
    const via = ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh']
    const { url, said, run } = await serveCommand(t, { text, via, instances: 1 })
    assert.equal(await textOf(`${url}exhaust`), 'EMFILE')
    let isTold = false
    const told = said(/is to be replaced: it answers, and takes no connections \(listening\)/).then(() => (isTold = true)) // prettier-ignore
    do assert.equal(await textOf(url), 'hello')
    while (!isTold) // it takes a connection as long as it has not opened what an earlier one has left
    await told
    const status = async () => JSON.parse((await run('status', 'server', '--json')).stdout)
    const { state, renewals, crashes } = await askUntil(status, ({ renewals }) => renewals > 0) // its end counts
    assert.deepEqual([state, renewals, crashes], ['serving', 1, 0])
  },
)

function send(pid, signal) {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
