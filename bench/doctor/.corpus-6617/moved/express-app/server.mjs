import express from 'express'
import { listed, NotFound, one, tagOf, view } from './work.mjs'

const app = express()
app.set('etag', (body) => tagOf(String(body)))
app.engine('page', (path, locals, done) => done(null, view(locals)))
app.set('views', import.meta.dirname ?? new URL('.', import.meta.url).pathname)
let requests = 0
app.use((request, response, next) => {
  request.n = Number(request.query.n ?? requests++)
  next()
})
app.get('/list', async (request, response) => response.json((await listed(request.n % 9))))
app.get('/one', async (request, response) =>
  response.json(await one(request.query.rare ? 99 : request.n % 9)),
)
app.get('/view', (request, response) => response.render('empty.page', { title: `Page ${request.n % 9}` }))
app.use((error, request, response, next) => {
  if (error instanceof NotFound) return void response.status(404).json({ message: error.message })
  next(error)
})
app.listen(process.env.PORT)
