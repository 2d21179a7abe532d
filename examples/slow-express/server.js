// A small shop that is slow in three ways, and in a fourth one in a container. README.md finds each with one command, and mends it.
import { availableParallelism } from 'node:os'
import express from 'express'
import { threads } from 'threadwise'
import { forecast } from './forecast.js'
import { isRight } from './password.js'
import { cheapest } from './products.js'

const labels = threads(new URL('./labels.js', import.meta.url), { size: availableParallelism() })
const app = express()

app.get('/', (request, response) => {
  response.send('open')
})

app.get('/forecast', (request, response) => {
  response.json(forecast({ stock: 80, dailySales: 10, days: 30 }))
})

app.get('/login', (request, response) => {
  response.json({ ok: isRight(request.query.password ?? 'secret') })
})

app.get('/products', (request, response) => {
  response.json(cheapest(10))
})

app.get('/labels', async (request, response) => {
  response.json(await labels.map('label', [1, 2, 3, 4, 5, 6, 7, 8]))
})

const server = app.listen(process.env.PORT ?? 3000, () => {
  console.log(`http://localhost:${server.address().port}`)
})
