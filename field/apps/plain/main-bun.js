// The program of a single executable of Bun, which has the tasks in it. It has no processes, which would start it again.
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'

const tasks = new URL('./tasks.js', import.meta.url)
for (const create of [inline, concurrent, threads, adaptive]) {
  const executor = create(tasks, { name: 'app' })
  console.log(executor.kind, await executor.tasks.add(40, 2), await executor.tasks.where())
  await executor.close()
}
try {
  processes(tasks)
} catch (error) {
  console.log('processes', error.code)
}
