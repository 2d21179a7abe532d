// An app where nothing helps: it waits.
import { createServer } from 'node:http'

async function wait() {
  await new Promise((resolve) => setTimeout(resolve, 20))
}

createServer(async (request, response) => {
  await wait()
  response.end('done')
}).listen(process.env.PORT)
