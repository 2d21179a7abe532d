// What starts Node again is refused in a single executable, which would start itself. Some are built and run by
// npm run test:field -- sea bun-compile.
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { processes, threads } from 'threadwise'
import { serve } from 'threadwise/cluster'
import { measure, measureServer } from 'threadwise/measure'

const tasks = new URL('../../fixtures/tasks/basic.js', import.meta.url)
const isRefused = { code: 'TW_ERR_INVALID_CALL', message: /a single executable, which would start itself/ }

test('a single executable starts no process of itself', async (t) => {
  const usual = process.getBuiltinModule
  t.mock.method(process, 'getBuiltinModule', (name) =>
    name === 'node:sea' ? { isSea: () => true } : usual.call(process, name),
  )
  assert.throws(() => processes(tasks), isRefused)
  await assert.rejects(serve(fileURLToPath(tasks)), isRefused)
  await assert.rejects(measure(fileURLToPath(tasks)), isRefused)
  await assert.rejects(measureServer(fileURLToPath(tasks)), isRefused)
})

for (const [name, runtime] of Object.entries({
  Bun: { main: '/$bunfs/root/app' },
  'Bun on Windows': { main: 'B:/~BUN/root/app' },
  Deno: { build: { standalone: true } },
})) {
  const global = name.split(' ')[0]
  const replaceBy = (t, value) => {
    t.after(() => Reflect.deleteProperty(globalThis, global))
    globalThis[global] = value
  }

  test(`nor does one of ${name}`, (t) => {
    replaceBy(t, runtime)
    assert.throws(() => processes(tasks), isRefused)
  })

  test(`a program that ${name} runs from a file may`, async (t) => {
    replaceBy(t, { main: '/home/app/main.js', build: { standalone: false } })
    const pool = processes(tasks, { size: 1 })
    assert.equal(await pool.tasks.add(1, 2), 3)
    await pool.close()
  })
}

test('it may have threads', async (t) => {
  const usual = process.getBuiltinModule
  t.mock.method(process, 'getBuiltinModule', (name) =>
    name === 'node:sea' ? { isSea: () => true } : usual.call(process, name),
  )
  const pool = threads(tasks, { size: 1 })
  assert.equal(await pool.tasks.add(1, 2), 3)
  await pool.close()
})
