// An asynchronous function that computes after its await.
import { createServer } from 'node:http'
import { burn } from '../burn.mjs'

async function summarize({ text, lines }) {
  const first = await Promise.resolve(text.length)
  return { sum: burn(first, 300_000), lines: lines.length }
}

createServer(async (request, response) => {
  const { sum, lines } = await summarize({ text: 'a text', lines: [1, 2, 3] })
  response.end(`${sum} ${lines}`)
}).listen(process.env.PORT)
