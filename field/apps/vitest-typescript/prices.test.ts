// Workers load what Vite makes of the task module, as the test does.
import { afterAll, describe, expect, test } from 'vitest'
import { adaptive, inline, processes, threads } from 'threadwise'
import type * as Tasks from '@/tasks'

const makers = { inline, threads, processes, adaptive }

describe.each(Object.keys(makers) as (keyof typeof makers)[])('%s', (kind) => {
  const pool = makers[kind]<typeof Tasks>(new URL('./src/tasks.js', import.meta.url))
  afterAll(() => pool.close())

  test('adds up prices', async () => expect(await pool.tasks.total([1, 2])).toBe('3 EUR'))
})
