// Pipes that break: between a pool and its processes, and between a program and whoever reads what its workers print.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { processes } from 'threadwise'
import { rejection, taskModule } from '../helpers/executors.js'

const program = fileURLToPath(new URL('../fixtures/programs/print-labelled.js', import.meta.url))

function pool(t, options) {
  const executor = processes(taskModule('exits.js'), { size: 1, ...options })
  t.after(() => executor.destroy())
  return executor
}

test('a process that closes its channel loses its call, and is replaced', async (t) => {
  const executor = pool(t)
  for (let i = 0; i < 3; i++) {
    const error = await rejection(executor.run('hangUp'))
    assert.equal(error.code, 'TW_ERR_WORKER_EXITED')
    assert.equal(await executor.run('add', [i, 1]), i + 1)
  }
})

test('a process that dies while megabytes are written to it loses its call, and is replaced', async (t) => {
  const executor = pool(t)
  const pid = await executor.run('pid')
  const call = rejection(executor.run('size', [new Uint8Array(64 << 20)]))
  setImmediate(() => process.kill(pid, 'SIGKILL'))
  assert.equal((await call).code, 'TW_ERR_WORKER_EXITED')
  assert.equal(await executor.run('size', [new Uint8Array(1 << 20)]), 1 << 20)
})

for (const kind of ['threads', 'processes']) {
  test(`${kind}: what is printed with labels and read by nobody does not end the program`, async () => {
    const child = spawn(process.execPath, [program, kind], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.once('data', () => child.stdout.destroy()) // as `| head -1`
    let errors = ''
    child.stderr.on('data', (text) => (errors += text))
    const code = await new Promise((resolve) => child.on('close', resolve))
    assert.match(errors, /all calls have ended: 20/)
    assert.equal(code, 0)
    assert.doesNotMatch(errors, /EPIPE/)
  })
}
