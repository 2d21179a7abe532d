import { threads } from 'threadwise'

export const pool = threads(new URL('./tasks.js', import.meta.url), { name: 'sums', size: 1 })

export const version = 'first'
