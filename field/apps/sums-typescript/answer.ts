// What each way answers: the sum, and how many workers have been seen since the program started.
import { pool, version } from './pool'

const workers = ((globalThis as { workers?: Set<string> }).workers ??= new Set())

export async function answer(): Promise<string> {
  const sum = await pool.tasks.add(40, 2)
  workers.add(await pool.tasks.where())
  return `${version} ${sum} by ${workers.size} worker`
}
