// The tasks, written as only a bundler reads them: endings left out, an enum, JSON.
import { threadId } from 'node:worker_threads'
import { task } from 'threadwise/task'
import data from './data.json'
import { plus } from './plus'

enum Sign {
  Plus = '+',
}

export const add = (a: number, b: number): number => (data.sign === Sign.Plus ? plus(a, b) : NaN)
export const where = (): string => `${task.worker.name} in thread ${threadId}`
