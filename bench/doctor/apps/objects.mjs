// Functions of all forms that can move: in objects, in classes, asynchronous, a default export, with a generator.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import crunch from '../crunch.mjs'
import { moved } from '../moved.mjs'

const handlers = {
  report(seed) {
    let sum = 0
    for (const each of [seed, seed + 1, seed + 2]) sum += burn(each, 40_000)
    return sum
  },
  totals: (seed) => burn(seed, 100_000) + 2,
}

class Pricing {
  static rates = { a: 3 }

  plain(seed) {
    return burn(seed, 100_000) * 2
  }

  async later(seed) {
    await null
    return burn(seed, 100_000) + 4
  }
}

function* parts(seed) {
  for (let i = 0; i < 3; i++) yield burn(seed + i, 40_000)
}

function sumParts(seed) {
  let sum = 0
  for (const part of parts(seed)) sum += part
  return sum
}

const pricing = new Pricing()
const functions = {
  ...{ report: handlers.report, totals: handlers.totals },
  ...{ plain: pricing.plain.bind(pricing), later: pricing.later.bind(pricing) },
  ...{ sumParts, crunch },
  ...moved,
}
let number = 0
createServer(async (request, response) => {
  const sums = []
  const seed = number++ % 100
  for (const name of ['report', 'totals', 'plain', 'later', 'sumParts', 'crunch'])
    sums.push(await functions[name](seed))
  response.end(sums.join())
}).listen(process.env.PORT)
