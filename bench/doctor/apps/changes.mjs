// A function that changes its argument.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

function addSums(rows) {
  for (const row of rows) row.sum = burn(row.id, 200_000)
}

createServer((request, response) => {
  const rows = Array.from({ length: 5 }, (_, id) => ({ id }))
  addSums(rows)
  response.end(JSON.stringify(rows))
}).listen(process.env.PORT)
