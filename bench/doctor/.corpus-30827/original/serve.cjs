// Answers with what the function of a path gives, as JSON, and with the status of what it throws.
const { createServer } = require('node:http')

/** `routes`: path -> function of the query and of a number, which is `n` of the query, or that of the request. */
exports.serve = (routes) => {
  let requests = 0
  const answer = async (request) => {
    const { pathname, searchParams } = new URL(request.url, 'http://localhost')
    const query = Object.fromEntries(searchParams)
    return routes[pathname](query, Number(query.n ?? requests++))
  }
  createServer(async (request, response) => {
    try {
      response.end(JSON.stringify((await answer(request)) ?? null))
    } catch (error) {
      response.statusCode = error.status ?? 500
      response.end(`${error.name}: ${error.message}`)
    }
  }).listen(process.env.PORT)
}
