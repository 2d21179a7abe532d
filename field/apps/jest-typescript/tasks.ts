// What the tests of each runner call.
import { isMainThread } from 'node:worker_threads'
import { task } from 'threadwise/task'

export const total = (prices: number[]): number => prices.reduce((sum, price) => sum + price, 0)
export const where = (): string => (isMainThread ? 'a process' : 'a thread')
export const untilAborted = (): Promise<string> =>
  new Promise((resolve) => task.signal.addEventListener('abort', () => resolve('aborted')))
