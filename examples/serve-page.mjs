// Bundles an example that is a page, and serves it: node examples/serve-page.mjs image-filter
import { readFileSync, readdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const folder = fileURLToPath(new URL(process.argv[2], import.meta.url))
const workers = readdirSync(folder).filter((name) => name.endsWith('.worker.js'))
const { outputFiles } = await build({
  entryPoints: ['page.js', ...workers].map((name) => join(folder, name)),
  ...{ bundle: true, format: 'esm', outdir: folder, write: false },
})
const files = new Map(outputFiles.map(({ path, text }) => [path.slice(folder.length), text]))

const server = createServer(({ url }, response) => {
  const code = files.get(url)
  response.setHeader('Content-Type', code === undefined ? 'text/html' : 'text/javascript')
  response.end(code ?? readFileSync(join(folder, 'index.html')))
})
server.listen(Number(process.env.PORT ?? 8080), '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`)
})
process.once('SIGTERM', () => {
  server.closeAllConnections()
  server.close()
})
