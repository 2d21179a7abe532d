import { task } from 'threadwise/task'
import { plus } from './plus'

export const add = (a: number, b: number): number => plus(a, b)
export const where = (): string => task.worker.name
