import assert from 'node:assert/strict'
import sinon from 'sinon'
import { inline, processes, threads } from 'threadwise'

const url = new URL('./tasks.js', import.meta.url)

afterEach(() => sinon.restore())

it('prices are added up in the thread of the test', async () => {
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

    it('add up prices', async () => {
      assert.equal(await pool.tasks.total([1, 2, 3]), 6)
      assert.equal(await pool.tasks.where(), place)
    })

    it('have their timeouts by the real clock, also where timers are fake', async () => {
      sinon.useFakeTimers()
      const late = pool.run('untilAborted', [], { timeout: 50 })
      await assert.rejects(late, { code: 'TW_ERR_TIMEOUT' })
      assert.equal(await pool.tasks.total([4, 5]), 9)
    })
  })
}
