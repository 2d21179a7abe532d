import { afterAll, afterEach, describe, expect, jest, test } from '@jest/globals'
import { join } from 'node:path'
import { inline, processes, threads } from 'threadwise'
import type * as Tasks from './tasks'

const file = join(__dirname, 'tasks.ts')

afterEach(() => {
  jest.useRealTimers()
})

test('prices are added up in the thread of the test', async () => {
  const executor = inline(() => import('./tasks'))
  expect(await executor.tasks.total([1, 2, 3])).toBe(6)
  await executor.close()
})

describe.each([
  ['threads', threads, 'a thread'],
  ['processes', processes, 'a process'],
])('%s', (_, create, place) => {
  const pool = create<typeof Tasks>(file)
  afterAll(() => pool.close())

  test('add up prices', async () => {
    expect(await pool.tasks.total([1, 2, 3])).toBe(6)
    expect(await pool.tasks.where()).toBe(place)
  })

  test('have their timeouts by the real clock, also where timers are fake', async () => {
    jest.useFakeTimers()
    const late = pool.run('untilAborted', [], { timeout: 50 })
    await expect(late).rejects.toMatchObject({ code: 'TW_ERR_TIMEOUT' })
    expect(await pool.tasks.total([4, 5])).toBe(9)
  })
})
