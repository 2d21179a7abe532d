import { web } from 'threadwise/web'

export const pool = web(new URL('./tasks.js', import.meta.url), { name: 'sums' })
