// The task module of the small pages: it imports a module of its own and one of threadwise, so both must be in the worker.
import { task } from 'threadwise/task'
import { plus } from './plus.js'

export const add = (a, b) => plus(a, b)
export const where = () => task.worker.name
