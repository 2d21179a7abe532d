import { threads } from 'threadwise'
import type * as Tasks from './tasks'

export const pool = threads<typeof Tasks>(new URL('./tasks.js', import.meta.url), { name: 'sums', size: 1 })

export const version = 'first'
