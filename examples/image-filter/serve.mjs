// Bundles the example and serves it: node examples/image-filter/serve.mjs
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = (name) => fileURLToPath(new URL(name, import.meta.url))
const { outputFiles } = await build({
  entryPoints: [here('page.js'), here('filter.worker.js')],
  ...{ bundle: true, format: 'esm', outdir: here('.'), write: false },
})
const files = new Map(outputFiles.map(({ path, text }) => [path.slice(here('.').length), text]))

const server = createServer(({ url }, response) => {
  const code = files.get(url.slice(1))
  response.setHeader('Content-Type', code === undefined ? 'text/html' : 'text/javascript')
  response.end(code ?? readFileSync(here('index.html')))
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`)
})
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})
