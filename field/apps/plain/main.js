// A program as README.md shows it: one task on each executor.
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'

const run = async (executor) => {
  console.log(executor.kind, await executor.tasks.add(40, 2), await executor.tasks.where())
  await executor.close()
}

await run(inline(new URL('./tasks.js', import.meta.url), { name: 'app' }))
await run(concurrent(new URL('./tasks.js', import.meta.url), { name: 'app' }))
await run(threads(new URL('./tasks.js', import.meta.url), { name: 'app' }))
await run(processes(new URL('./tasks.js', import.meta.url), { name: 'app' }))
await run(adaptive(new URL('./tasks.js', import.meta.url), { name: 'app' }))
