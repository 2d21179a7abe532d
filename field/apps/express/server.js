import express from 'express'
import { threads } from 'threadwise'

const pool = threads(new URL('./sums/tasks.js', import.meta.url), { name: 'sums' })
const app = express()

app.get('/sum', async (request, response) => {
  response.json({ sum: await pool.tasks.add(40, 2), by: await pool.tasks.where() })
})

const server = app.listen(process.env.PORT)
process.once('SIGTERM', () => server.close(() => pool.close()))
