// Computes and then waits for each request, on a pool of threads whose size is in the environment.

import { createServer } from 'node:http'
import { threads } from '../../index.js'

const { THREADWISE_LAB_THREADS, THREADWISE_LAB_WORK = '[]', PORT } = process.env
const size = Number(THREADWISE_LAB_THREADS)
const pool = threads(new URL('../tasks/burn-and-wait.js', import.meta.url), { size })
const work = JSON.parse(THREADWISE_LAB_WORK) as unknown[]
await pool.ready

createServer((_request, response) => {
  pool.run('burnAndWait', work).then(
    () => response.end('done'),
    () => response.writeHead(500).end(),
  )
}).listen(Number(PORT))
