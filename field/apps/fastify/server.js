import fastify from 'fastify'
import { threads } from 'threadwise'

const pool = threads(new URL('./sums/tasks.js', import.meta.url), { name: 'sums' })
const app = fastify()

app.get('/sum', async () => ({ sum: await pool.tasks.add(40, 2), by: await pool.tasks.where() }))
app.addHook('onClose', () => pool.close())

await app.listen({ port: process.env.PORT })
process.once('SIGTERM', () => app.close())
