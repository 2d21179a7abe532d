// One template, two ways with Fastify: GET /main renders it in the main thread, GET /offload on a pool of threads. GET /loop tells
// how late the event loop was since it was last asked: what every other request of this process has waited. Ends on SIGTERM.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import Fastify from 'fastify'
import { isThreadwiseError, threads } from 'threadwise'
import { renderLove } from '../render/tasks.js'

const MAX_WAITING = 1000
const RESOLUTION_MS = 10

const pool = threads(new URL('../render/tasks.js', import.meta.url), {
  name: 'render',
  maxQueue: MAX_WAITING, // beyond it a request is told at once, instead of waiting for what nobody will wait for
})
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
const app = Fastify({ logger: process.env.LOG === '1' })

const names = {
  type: 'object',
  properties: {
    me: { type: 'string', maxLength: 50, default: 'Thomas' },
    you: { type: 'string', maxLength: 50, default: 'Katelyn' },
  },
}

app.get('/main', { schema: { querystring: names } }, (request, reply) => {
  reply.type('text/html').send(renderLove(request.query))
})

app.get('/offload', { schema: { querystring: names } }, async (request, reply) => {
  const gone = new AbortController()
  reply.raw.on('close', () => gone.abort())
  const html = await pool.run('renderLove', [{ ...request.query }], { signal: gone.signal, timeout: 2000 })
  return reply.type('text/html').send(html)
})

app.get('/loop', () => {
  const toMs = (nanoseconds) => Math.max(0, Number((nanoseconds / 1e6 - RESOLUTION_MS).toFixed(2))) // it counts its own pause too
  const answer =
    delay.count === 0
      ? { meanMs: null, p99Ms: null, maxMs: null }
      : { meanMs: toMs(delay.mean), p99Ms: toMs(delay.percentile(99)), maxMs: toMs(delay.max) }
  delay.reset()
  return answer
})

app.setErrorHandler((error, request, reply) => {
  request.log.error(error)
  const status = isThreadwiseError(error) ? 503 : (error.statusCode ?? 500)
  return reply.code(status).send({ error: status < 500 ? error.message : 'failed' })
})

await pool.ready // or the first requests wait for the threads to start
delay.enable()
console.log(await app.listen({ port: Number(process.env.PORT ?? 8080) }))

process.once('SIGTERM', async () => {
  await app.close() // answers what it has accepted
  await pool.close({ timeout: 10_000 })
  delay.disable()
})
