// A program in TypeScript: one task on each executor, and where an error of it was thrown.
import { join } from 'node:path'
import { adaptive, concurrent, inline, processes, threads, type Executor } from 'threadwise'
import type * as Tasks from './tasks'

const order = { prices: [{ amount: 40 }, { amount: 2 }] }

const run = async (executor: Executor<typeof Tasks>): Promise<void> => {
  const total: number = await executor.tasks.total(order)
  const error = await executor.tasks.refuse(order).then(
    () => undefined,
    (thrown: Error) => thrown,
  )
  console.log(executor.kind, total, /\w+\.ts:\d+/.exec(error?.stack ?? '')?.[0])
  await executor.close()
}

const url = join(__dirname, 'tasks.js')
const all = async (): Promise<void> => {
  await run(inline<typeof Tasks>(url))
  await run(concurrent<typeof Tasks>(url))
  await run(threads<typeof Tasks>(url))
  await run(processes<typeof Tasks>(url))
  await run(adaptive<typeof Tasks>(url))
}
void all()
