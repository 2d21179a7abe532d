import express from 'express'

const app = express()
app.use(express.json({ limit: '20mb' }))
app.post('/import', (request, response) => response.json({ rows: request.body.length }))
app.listen(process.env.PORT)
