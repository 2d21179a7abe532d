// A private function of CommonJS, in an app of Express.
const express = require('express')

const WEIGHTS = [3, 5, 7]

function weigh(seed, rounds) {
  let sum = seed
  for (let i = 0; i < rounds; i++) sum = (sum * 31 + WEIGHTS[i % 3]) % 1_000_003
  return sum
}

function scorePrices(prices) {
  return prices.map((price) => weigh(price, 200_000))
}

const app = express()
app.get('/', async (request, response) => {
  const { moved } = await import('../moved.mjs')
  const prices = [1, 2, 3, 4, 5]
  if (moved.weigh) response.json(await Promise.all(prices.map((price) => moved.weigh(price, 200_000))))
  else response.json(await (moved.scorePrices ?? scorePrices)(prices))
})
app.listen(process.env.PORT)
