import { createServer } from 'node:http'

const spinning = {
  '/anonymous': (n) => {
    let sum = n
    for (let i = 0; i < 500_000; i++) sum = (sum * 31 + i) % 1_000_003
    return { sum }
  },
  '/list': [
    (n) => {
      let sum = n
      for (let i = 0; i < 500_000; i++) sum = (sum * 37 + i) % 1_000_003
      return { sum }
    },
  ],
}
const routes = new Map([
  ['/anonymous', spinning['/anonymous']],
  ['/list', spinning['/list'][0]],
  [
    '/mapped',
    (n) => {
      let sum = n
      for (let i = 0; i < 500_000; i++) sum = (sum * 41 + i) % 1_000_003
      return { sum }
    },
  ],
])
let requests = 0
createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://localhost')
  response.end(
    JSON.stringify((await routes.get(pathname)?.(Number(searchParams.get('n') ?? requests++) % 9)) ?? null),
  )
}).listen(process.env.PORT)
