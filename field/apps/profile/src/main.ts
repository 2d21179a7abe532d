// Which executor runs the tasks, and who chose it.
import { executor } from 'threadwise'
import type * as Tasks from './tasks.ts'

const pool = executor<typeof Tasks>(new URL('./tasks.js', import.meta.url), {
  fallback: 'inline',
  maxQueue: 100,
  closeTimeout: 10_000,
})
const sum: number = await pool.tasks.total([40, 2])
const chosen = pool.stats().profile ? 'by the profile' : 'without it'
console.log(`${pool.kind} of ${pool.size} ${chosen}: ${sum}`)
await pool.close()
