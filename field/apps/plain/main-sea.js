// The program of a single executable of Node: the tasks lie beside it as a file. It has no processes, which would start it again.
import { join } from 'node:path'
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'

const tasks = join(__dirname, 'tasks.js')
const run = async (executor) => {
  console.log(executor.kind, await executor.tasks.add(40, 2), await executor.tasks.where())
  await executor.close()
}

const all = async () => {
  await run(inline(() => import('./tasks.js'), { name: 'app' }))
  for (const create of [concurrent, threads, adaptive]) await run(create(tasks, { name: 'app' }))
  try {
    processes(tasks)
  } catch (error) {
    console.log('processes', error.code)
  }
}
void all()
