// What the tests of each runner call.
import { isMainThread } from 'node:worker_threads'
import { task } from 'threadwise/task'

export const total = (prices) => prices.reduce((sum, price) => sum + price, 0)
export const where = () => (isMainThread ? 'a process' : 'a thread')
export const untilAborted = () =>
  new Promise((resolve) => task.signal.addEventListener('abort', () => resolve('aborted')))
