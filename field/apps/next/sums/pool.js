import { join } from 'node:path'
import { threads } from 'threadwise'

export const pool = threads(join(process.cwd(), 'sums/tasks.js'), { name: 'sums', size: 1 })

export const version = 'first'
