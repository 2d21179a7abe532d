// The same for bundles of CommonJS, which have no import.meta.url: the task module by its path, beside the program.
import { join } from 'node:path'
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'

const run = async (create) => {
  const executor = create(join(__dirname, 'tasks.js'), { name: 'app' })
  console.log(executor.kind, await executor.tasks.add(40, 2), await executor.tasks.where())
  await executor.close()
}

const all = async () => {
  for (const create of [inline, concurrent, threads, processes, adaptive]) await run(create)
}
void all()
