// An app in TypeScript, which is bundled, with a source map, before it is started.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

interface Order {
  readonly prices: readonly number[]
}

function totalOf(order: Order): number {
  return order.prices.reduce((sum, price) => sum + burn(price, 200_000), 0)
}

createServer((request, response) => response.end(String(totalOf({ prices: [1, 2, 3, 4, 5] })))).listen(
  process.env.PORT,
)
