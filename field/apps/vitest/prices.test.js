import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { inline, processes, threads } from 'threadwise'

const url = new URL('./tasks.js', import.meta.url)

afterEach(() => vi.useRealTimers())

test('prices are added up in the thread of the test', async () => {
  const executor = inline(url)
  expect(await executor.tasks.total([1, 2, 3])).toBe(6)
  await executor.close()
})

describe.each([
  ['threads', threads, 'a thread'],
  ['processes', processes, 'a process'],
])('%s', (_, create, place) => {
  const pool = create(url)
  afterAll(() => pool.close())

  test('add up prices', async () => {
    expect(await pool.tasks.total([1, 2, 3])).toBe(6)
    expect(await pool.tasks.where()).toBe(place)
  })

  test('have their timeouts by the real clock, also where timers are fake', async () => {
    vi.useFakeTimers()
    const late = pool.run('untilAborted', [], { timeout: 50 })
    await expect(late).rejects.toMatchObject({ code: 'TW_ERR_TIMEOUT' })
    expect(await pool.tasks.total([4, 5])).toBe(9)
  })
})
