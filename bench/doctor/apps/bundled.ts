// An app in TypeScript, which is bundled, with a source map, before it is started.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

interface Order {
  readonly prices: readonly number[]
}

function totalOf(order: Order): number {
  return order.prices.reduce((sum, price) => sum + burn(price, 200_000), 0)
}

createServer(async (request, response) => {
  const prices = [1, 2, 3, 4, 5]
  let total = 0
  if (moved.burn) for (const price of prices) total += await moved.burn(price, 200_000)
  else total = moved.totalOf ? await moved.totalOf({ prices }) : totalOf({ prices })
  response.end(String(total))
}).listen(process.env.PORT)
