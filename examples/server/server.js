// A small HTTP server that keeps its event loop free: GET /?word=bodofi gives the nearest words. Ends cleanly on SIGTERM.
import { createServer } from 'node:http'
import { isThreadwiseError, threads } from 'threadwise'

const MAX_WAITING = 1000

const pool = threads(new URL('./tasks.js', import.meta.url), { name: 'suggest' }) // or inline, concurrent, processes

const server = createServer(async (request, response) => {
  const word = new URL(request.url, 'http://localhost').searchParams.get('word') ?? ''
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  try {
    if (pool.stats().queued >= MAX_WAITING) return void response.writeHead(503).end('too busy\n')
    const words = await pool.run('suggest', [word.slice(0, 50)], { signal: gone.signal, timeout: 2000 })
    response.end(`${words.join(' ')}\n`)
  } catch (error) {
    if (gone.signal.aborted) return // nobody waits for the answer any more
    console.error(error)
    response.writeHead(isThreadwiseError(error) ? 503 : 500).end('failed\n')
  }
})

server.listen(Number(process.env.PORT ?? 8080), () =>
  console.log(`http://localhost:${server.address().port}`),
)

process.once('SIGTERM', async () => {
  await new Promise((resolve) => server.close(resolve))
  await pool.close({ timeout: 10_000 })
})
