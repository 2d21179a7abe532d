import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { threads } from 'threadwise'

const pool = threads(new URL('./sums/tasks.js', import.meta.url), { name: 'sums' })
const app = new Hono()

app.get('/sum', async (c) => c.json({ sum: await pool.tasks.add(40, 2), by: await pool.tasks.where() }))

const server = serve({ fetch: app.fetch, port: Number(process.env.PORT) })
process.once('SIGTERM', () => server.close(() => pool.close()))
