// Several modules in one executor.
import { threads, type AllTasks } from 'threadwise'
import type * as Tasks from './tasks.js'
import { same } from './same.js'

interface Shouts {
  shout(text: string): string
  version: number
}
const pool = threads<AllTasks<{ one: typeof Tasks; two: Shouts }>>({
  one: new URL('./tasks.js', import.meta.url),
  two: '/two.js',
})
const loud = await pool.run('two.shout', ['hey'])
same<typeof loud, string>(true)
const shouts = await pool.map('two.shout', ['a'])
same<typeof shouts, string[]>(true)
const greeting = await pool.tasks['one.greet']({ name: 'Ada' })
same<typeof greeting, string>(true)
for await (const row of pool.stream('one.rows', [1])) same<typeof row, { id: number }>(true)
// @ts-expect-error no task of that name
void pool.run('two.greet', [])
// @ts-expect-error not a function
void pool.run('two.version', [])
// @ts-expect-error not what it takes
void pool.tasks['two.shout'](5)
