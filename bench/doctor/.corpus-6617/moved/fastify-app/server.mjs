import Fastify from 'fastify'
import { spin } from '../spin.cjs'

const report = (...args) => globalThis.movedTasks.report(...args)
const idOf = (url) => `id ${spin(url.length)}`
const totals = (...args) => globalThis.movedTasks.totals(...args)

const app = Fastify({ genReqId: (request) => idOf(request.url) })
app.decorate('totals', totals)
let requests = 0
const numberOf = ({ query }) => Number(query.n ?? requests++)
app.get('/report', async (request) => report({ rows: [1, 2, numberOf(request) % 9] }))
app.get('/totals', async (request) => app.totals([1, 2, numberOf(request) % 9]))
app.get('/id', (request, reply) => reply.send({ id: request.id }))
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
