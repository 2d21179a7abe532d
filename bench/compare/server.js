// A server that computes for each request, and a share of it again: what bench/compare.mjs compares.

import { createServer } from 'node:http'
import { us50 as steps } from './tasks.js'

/** Of the calls, as a share, that are made again. */
const extra = Number(process.env.EXTRA ?? 0)
// About 5 ms.
const CALLS = 100

const server = createServer((_request, response) => {
  for (let call = 0; call < Math.round(CALLS * (1 + extra)); call++) steps(call)
  response.end('done\n')
})
server.listen(process.env.PORT)
