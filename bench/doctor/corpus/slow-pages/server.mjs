import { createServer } from 'node:http'

function scoreOf(seed) {
  let sum = 0
  for (let i = 0; i < 300_000; i++) sum = (sum * 31 + i + seed) % 1_000_003
  return sum
}

export function ranking(seed) {
  const scores = []
  for (let i = 0; i < 350; i++) scores.push(scoreOf(seed + i))
  return scores.sort((a, b) => a - b).slice(0, 3)
}

export function forecast(days) {
  let sum = days
  for (let i = 0; i < 120_000_000; i++) sum = (sum * 31 + i) % 1_000_003
  return { sum }
}

let requests = 0
createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  const n = Number(searchParams.get('n') ?? requests++)
  const value = pathname === '/ranking' ? ranking(n % 5) : pathname === '/forecast' ? forecast(n % 4) : null
  response.end(JSON.stringify(value))
}).listen(process.env.PORT)
