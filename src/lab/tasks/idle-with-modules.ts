// The task of the memory experiment with modules, as a small service would load them.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import Mustache from 'mustache'

export function nothing(): number {
  const page = Mustache.render('{{#items}}{{.}},{{/items}}', { items: [1, 2, 3] })
  const digest = createHash('sha256').update(gzipSync(page)).digest('hex')
  return digest.length + createServer.length
}
