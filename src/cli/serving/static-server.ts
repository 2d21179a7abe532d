// A server of files, for apps of PM2 whose script is "serve": those of one folder, and nothing that begins with a dot, lies elsewhere, or is no file.

import { createHash, timingSafeEqual } from 'node:crypto'
import { createReadStream, realpathSync, statSync, type Stats } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'

const {
  PM2_SERVE_PATH: path,
  PM2_SERVE_PORT,
  PM2_SERVE_HOST,
  PM2_SERVE_SPA,
  PM2_SERVE_HOMEPAGE: home = '/index.html',
} = process.env
const {
  PM2_SERVE_BASIC_AUTH,
  PM2_SERVE_BASIC_AUTH_USERNAME: user = '',
  PM2_SERVE_BASIC_AUTH_PASSWORD: password = '',
} = process.env
const root = rootOf(path)

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.map': 'application/json',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.xml': 'application/xml',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.avif': 'image/avif',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.ttf': 'font/ttf',
  '.otf': 'font/otf',
  '.mp4': 'video/mp4',
  '.webm': 'video/webm',
  '.mp3': 'audio/mpeg',
  '.pdf': 'application/pdf',
  '.wasm': 'application/wasm',
}

createServer(answer).listen(Number(PM2_SERVE_PORT ?? 8080), PM2_SERVE_HOST ?? '0.0.0.0')

function answer(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('x-content-type-options', 'nosniff')
  if (PM2_SERVE_BASIC_AUTH === 'true' && !isAllowed(request.headers.authorization)) {
    return void response.writeHead(401, { 'www-authenticate': 'Basic realm="files", charset="UTF-8"' }).end()
  }
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return void response.writeHead(405, { allow: 'GET, HEAD' }).end()
  const asked = find(request.url ?? '/')
  const isPage = /^true$|^1$/i.test(PM2_SERVE_SPA ?? '') && !/\.\w+$/.test((request.url ?? '').split('?')[0]!)
  const found = asked ?? (isPage ? find(home) : undefined)
  if (found) send(found, request, response)
  else response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('Not found\n')
}

interface Found {
  readonly file: string
  readonly stats: Stats
}

/** Undefined for all that is not to be seen. */
function find(url: string): Found | undefined {
  try {
    const name = decodeURIComponent(url.replace(/[?#].*$/s, ''))
    if (name.includes('\0') || name.includes('\\') || name.split('/').some((part) => part.startsWith('.')))
      return undefined
    const file = realpathSync(join(root, name)) // a link that leads out of the folder leads to nothing
    if (file !== root && !file.startsWith(root + sep)) return undefined
    if (
      file
        .slice(root.length)
        .split(sep)
        .some((part) => part.startsWith('.'))
    )
      return undefined
    const stats = statSync(file)
    if (stats.isDirectory()) return find(`${name.replace(/\/*$/, '')}/index.html`)
    return stats.isFile() ? { file, stats } : undefined
  } catch {
    return undefined // there is none, or its name is no text
  }
}

function send({ file, stats }: Found, request: IncomingMessage, response: ServerResponse): void {
  const etag = `W/"${stats.size.toString(16)}-${Math.floor(stats.mtimeMs).toString(16)}"`
  response.setHeader('etag', etag).setHeader('last-modified', stats.mtime.toUTCString())
  response.setHeader('cache-control', 'no-cache')
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end()
  response.setHeader('content-type', TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream')
  if (request.method === 'HEAD') return void response.writeHead(200, { 'content-length': stats.size }).end()
  const stream = createReadStream(file)
  stream.on('error', () => response.destroy()) // it was removed meanwhile
  response.on('close', () => stream.destroy())
  stream.pipe(response.writeHead(200))
}

/** By hashes, which have one length: how long a comparison takes says nothing. */
function isAllowed(header = ''): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  const wanted = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  return timingSafeEqual(hash(header), hash(wanted))
}

function rootOf(given: string | undefined): string {
  const folder = given === undefined ? undefined : realpathSync(resolve(given))
  if (folder === undefined || folder === realpathSync(process.cwd()))
    throw new Error(
      'PM2_SERVE_PATH must be a folder below the one of the app, such as ./dist: all files of it are shown',
    )
  return folder
}
