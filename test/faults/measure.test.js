// A task that ruins one executor only: the others are measured, and the ruined cell says why.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { measure } from 'threadwise/measure'

const file = new URL('../fixtures/measured/only-inline.js', import.meta.url)
const options = { quick: true, rounds: 2, sizes: [1], seed: 1 }

async function measureOn(executor, task) {
  const result = await measure(file, { ...options, task, executors: ['concurrent', executor] })
  const [inline, sound, ruined] = result.cells
  assert.deepEqual([inline.executor, sound.executor, ruined.executor], ['inline', 'concurrent', executor])
  assert.equal(sound.failed, null)
  assert.equal(inline.failed, null)
  assert.ok(inline.windows >= 2, `${inline.windows} windows of inline`)
  assert.equal(ruined.verdict, 'cannot-tell')
  assert.equal(result.complete, true)
  assert.equal(result.advice[0].executor, 'inline')
  const warned = result.advice[0].reasons.some(({ id }) => id === 'failed-cells')
  assert.ok(warned, 'the advice says what was not considered')
  return ruined.failed
}

describe('measure()', { timeout: 60_000 }, () => {
  test('reports a task that ends its thread', async () => {
    const reason = await measureOn('threads', 'leaveThread')
    assert.match(reason, /100 % of its calls failed: .*The worker that ran task "leaveThread" ended/)
  })

  test('reports a trial that is killed from outside', async () => {
    assert.equal(await measureOn('processes', 'killTrial'), 'its process was ended by SIGKILL')
  })

  test('of a file that measures and serves itself starts none of these again', async () => {
    const itself = new URL('../fixtures/measured/measures-itself.js', import.meta.url)
    const { cells } = await measure(itself, { ...options, task: 'add', executors: ['threads', 'processes'] })
    assert.deepEqual(cells.map(({ failed }) => failed), [null, null, null]) // prettier-ignore
  })
})
