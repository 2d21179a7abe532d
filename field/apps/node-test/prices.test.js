import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { inline, processes, threads } from 'threadwise'

const url = new URL('./tasks.js', import.meta.url)

test('prices are added up in the thread of the test', async () => {
  const executor = inline(url)
  assert.equal(await executor.tasks.total([1, 2, 3]), 6)
  await executor.close()
})

for (const [create, place] of [
  [threads, 'a thread'],
  [processes, 'a process'],
]) {
  describe(create.name, () => {
    const pool = create(url)
    after(() => pool.close())

    test('add up prices', async () => {
      assert.equal(await pool.tasks.total([1, 2, 3]), 6)
      assert.equal(await pool.tasks.where(), place)
    })

    test('have their timeouts by the real clock, also where timers are fake', async (t) => {
      t.mock.timers.enable()
      const late = pool.run('untilAborted', [], { timeout: 50 })
      await assert.rejects(late, { code: 'TW_ERR_TIMEOUT' })
      assert.equal(await pool.tasks.total([4, 5]), 9)
    })
  })
}
