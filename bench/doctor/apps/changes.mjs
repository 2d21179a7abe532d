// A function that changes its argument.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

function addSums(rows) {
  for (const row of rows) row.sum = burn(row.id, 200_000)
}

createServer(async (request, response) => {
  const rows = Array.from({ length: 5 }, (_, id) => ({ id }))
  if (moved.burn) for (const row of rows) row.sum = await moved.burn(row.id, 200_000)
  else addSums(rows)
  response.end(JSON.stringify(rows))
}).listen(process.env.PORT)
