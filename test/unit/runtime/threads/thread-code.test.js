import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { threads } from 'threadwise'

const module = new URL('../../../fixtures/tasks/own-code.js', import.meta.url)
const pool = threads(module, { size: 1 })
after(() => pool.close())

test('a thread compiles what it needs, once it needs it', async () => {
  const { compiledParts, echo, fail } = pool.tasks
  const atStart = await compiledParts()
  assert.ok(atStart >= 2, `${atStart} parts`)
  assert.equal(await compiledParts(), atStart)
  await echo({ id: 1 })
  assert.equal(await compiledParts(), atStart + 1)
  await assert.rejects(fail(), { message: 'on purpose' })
  assert.equal(await compiledParts(), atStart + 2)
  await assert.rejects(fail(), { message: 'on purpose' })
  await echo(new Map([[1, new Set('a')]]))
  assert.equal(await compiledParts(), atStart + 2)
})

test('its stack traces lead to the lines of thread-code.js', async () => {
  const { stack } = await pool.tasks.stackOfGetter()
  const frames = [...stack.matchAll(/at (\w+) \((.*thread-code\.js):(\d+):(\d+)\)/g)]
  assert.ok(frames.length >= 2, stack)
  const lines = readFileSync(
    fileURLToPath(new URL('../../../../dist/runtime/threads/thread-code.js', import.meta.url)),
    'utf8',
  ).split('\n')
  const called = frames.slice(1).map(([, , , line, column]) => lines[line - 1].slice(column - 1))
  const calls = called.filter((text, i) => text.startsWith(`${frames[i][1]}(`))
  assert.ok(
    calls.length >= 3,
    called.map((text, i) => `${frames[i][1]} called at ${text.slice(0, 40)}`).join('\n'),
  )
})

test('what a full stack has stopped is compiled again', async () => {
  const own = threads(module, { size: 1 })
  assert.ok((await own.tasks.forkNearEndOfStack()) > 0)
  const open = own.tasks.later(50)
  await assert.rejects(own.tasks.fail(), { message: 'on purpose' })
  assert.equal(await open, 'later')
  await own.close()
})

test('tasks do not see it, and cannot change what other workers get', async () => {
  assert.ok(!(await pool.tasks.dataNames()).includes('code'))
})
