// The tasks, with a module of their own.
import { threadId } from 'node:worker_threads'
import { task } from 'threadwise/task'
import { plus } from './plus.js'

export const add = (a, b) => plus(a, b)
export const where = () => `${task.worker.name} in thread ${threadId}`
