// Renders a page of 80 cards for each request: in the main thread for /main, on a pool of threads for /offload.

import { createServer } from 'node:http'
import { threads } from '../../index.js'
import { renderLong } from '../tasks/render-page.js'

const size = Number(process.env.THREADWISE_LAB_THREADS)
const pool = threads(new URL('../tasks/render-page.js', import.meta.url), { size })
await pool.ready

createServer((request, response) => {
  const answer = (page: unknown) => response.setHeader('Content-Type', 'text/html').end(page)
  if (request.url === '/main') answer(renderLong())
  else if (request.url === '/offload')
    pool.run('renderLong', []).then(answer, () => response.writeHead(500).end())
  else response.writeHead(404).end()
}).listen(Number(process.env.PORT))
