// In development Vite loads the app, and loads it anew after each change.
import { createServer } from 'node:http'

const vite =
  process.env.NODE_ENV === 'production'
    ? undefined
    : await (await import('vite')).createServer({ server: { middlewareMode: true }, appType: 'custom' })
const load = () => (vite ? vite.ssrLoadModule('/sums/answer.js') : import('./dist/answer.js'))

const server = createServer(async (request, response) => {
  const { answer } = await load()
  response.end(await answer())
})
server.listen(process.env.PORT)
process.once('SIGTERM', async () => {
  server.close()
  await vite?.close()
})
