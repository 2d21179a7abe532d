// What each way answers: the sum, and how many workers have been seen since the program started.
import { pool, version } from './pool.js'

export async function answer() {
  const sum = await pool.tasks.add(40, 2)
  const workers = (globalThis.workers ??= new Set())
  workers.add(await pool.tasks.where())
  return `${version} ${sum} by ${workers.size} worker`
}
