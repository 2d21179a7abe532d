// An app whose time is the framework's, and JSON's.
import fastify from 'fastify'

const app = fastify()
const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `row ${id}`, tags: ['a', 'b'] }))
app.get('/', async () => rows)
await app.listen({ port: Number(process.env.PORT) })
