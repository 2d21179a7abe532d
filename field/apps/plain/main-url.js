// The program without an await at its top, which CommonJS has not.
import { adaptive, concurrent, inline, processes, threads } from 'threadwise'

const url = new URL('./tasks.js', import.meta.url)
const all = async () => {
  for (const create of [inline, concurrent, threads, processes, adaptive]) {
    const executor = create(url, { name: 'app' })
    console.log(executor.kind, await executor.tasks.add(40, 2), await executor.tasks.where())
    await executor.close()
  }
}
void all()
