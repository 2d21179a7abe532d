import { threadId } from 'node:worker_threads'
import { task } from 'threadwise/task'
import { plus } from './plus.js'

export const add = (a: number, b: number): number => plus(a, b)
export const where = (): string => `${task.worker.name} in thread ${threadId}`
