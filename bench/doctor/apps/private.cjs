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
app.get('/', (request, response) => response.json(scorePrices([1, 2, 3, 4, 5])))
app.listen(process.env.PORT)
