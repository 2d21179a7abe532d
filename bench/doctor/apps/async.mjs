// An asynchronous function that computes after its await.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'
import { moved } from '../moved.mjs'

async function summarize({ text, lines }) {
  const first = await Promise.resolve(text.length)
  return { sum: burn(first, 600_000), lines: lines.length }
}

createServer(async (request, response) => {
  const summary = moved.summarize ?? summarize
  const given = { text: 'a text', lines: [1, 2, 3] }
  const { sum, lines } = moved.burn ? { sum: await moved.burn(6, 600_000), lines: 3 } : await summary(given)
  response.end(`${sum} ${lines}`)
}).listen(process.env.PORT)
