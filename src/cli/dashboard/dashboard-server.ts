// The server of the dashboard: what each address gives. Only who has the token gets anything (admission.ts).
//
//   GET  ''  app.js  app.css      the page
//   GET  stream?service=NAME      what it shows, at each look
//   GET  events                   the events, for machines
//   GET  metrics                  for Prometheus: a look of its own
//   GET  log?service=&search=     lines of a log
//   POST permits                  a change, which is asked for: gives a question and a permit
//   POST changes                  the permit: it is done

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { isThreadwiseError } from '../../errors/errors.js'
import { perform, questionOf, readAction } from './actions.js'
import type { RequestAdmission, Admitted } from './admission.js'
import type { Collector } from './look/collector.js'
import { dashboardMetrics } from './dashboard-metrics.js'
import { searchLog } from './look/log-tail.js'
import { pageScript, pageText } from './page-text.js'
import { styles } from './page-styles.js'
import { Permits } from './permits.js'
import { streamEvents, streamView } from './stream-view.js'
import { Streams } from './streams.js'

/** Of all connections: those that ask without a token take some too. */
const MOST_CONNECTIONS = 256
const MOST_BODY_BYTES = 16_384
/** Changes at a time. */
const MOST_CHANGES = 16

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

export interface DashboardServer {
  /** Where it listens: a port of loopback, or the path of a socket. Rejects as node:net does. */
  listen(place: { readonly port: number } | { readonly path: string }): Promise<number>
  close(): void
}

export function createDashboardServer(admission: RequestAdmission, collector: Collector): DashboardServer {
  const streams = new Streams()
  const context: Context = { admission, collector, streams, permits: new Permits(), changes: 0 }
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 8192 },
    (request, response) => {
      answer(request, response, context).catch((error: Error) => fail(response, error))
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  return {
    async listen(place) {
      const before = process.umask(0o177) // a socket must never be open to others, not for a moment
      try {
        server.listen('path' in place ? { path: place.path } : { port: place.port, host: '127.0.0.1' })
      } finally {
        process.umask(before)
      }
      await once(server, 'listening')
      const address = server.address()
      return typeof address === 'object' && address ? address.port : 0
    },
    close() {
      streams.closeAll()
      server.close()
      server.closeAllConnections()
    },
  }
}

interface Context {
  readonly admission: RequestAdmission
  readonly collector: Collector
  readonly streams: Streams
  readonly permits: Permits
  changes: number
}

async function answer(request: IncomingMessage, response: ServerResponse, context: Context): Promise<void> {
  for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
  const admitted = context.admission.admit(request)
  if ('code' in admitted) return send(response, admitted.code, 'text/plain', `${admitted.reason}\n`)
  if (request.method === 'POST') return change(request, response, admitted, context)
  if (request.method === 'GET') return get(request, response, admitted, context)
  response.setHeader('allow', 'GET, POST')
  send(response, 405, 'text/plain', 'GET and POST alone are known here.\n')
}

async function get(
  request: IncomingMessage,
  response: ServerResponse,
  { path, query }: Admitted,
  context: Context,
): Promise<void> {
  const { collector, admission, streams } = context
  switch (path) {
    case '':
      return send(response, 200, 'text/html', pageText(admission.pageToken))
    case 'app.js':
      return send(response, 200, 'text/javascript', pageScript)
    case 'app.css':
      return send(response, 200, 'text/css', styles)
    case 'metrics':
      return send(response, 200, 'text/plain; version=0.0.4', dashboardMetrics(await collector.look()))
    case 'log':
      return sendJson(response, 200, linesWith(query, collector))
    case 'stream':
      return orTooMany(response, streamView(response, { streams, collector, service: query.get('service') }))
    case 'events':
      return orTooMany(
        response,
        streamEvents(response, {
          streams,
          collector,
          after: Number(request.headers['last-event-id'] ?? 0) || 0,
        }),
      )
    default:
      return send(response, 404, 'text/plain', 'Not found\n')
  }
}

function orTooMany(response: ServerResponse, isOpen: boolean): void {
  if (!isOpen) send(response, 503, 'text/plain', 'Too many pages are open. Close some.\n')
}

function linesWith(query: URLSearchParams, collector: Collector): string[] {
  const path = collector.find(query.get('service') ?? '')?.logPath
  return path === undefined ? [] : searchLog(path, query.get('search') ?? '')
}

async function change(
  request: IncomingMessage,
  response: ServerResponse,
  { path }: Admitted,
  context: Context,
): Promise<void> {
  const { admission, permits } = context
  if (path !== 'permits' && path !== 'changes') return send(response, 404, 'text/plain', 'Not found\n')
  if (!admission.mayChange(request))
    return sendJson(response, 403, {
      ok: false,
      text:
        admission.pageToken === null
          ? 'The dashboard only shows: it was started with --read-only.'
          : 'The page is of another run of the dashboard: load it anew.',
    })
  const body = await readJson(request)
  if (path === 'permits') {
    const action = readAction(body)
    return sendJson(response, 200, { permit: permits.give(action), question: questionOf(action) })
  }
  const action = permits.take(String((Object(body) as { permit?: unknown }).permit))
  if (!action)
    return sendJson(response, 403, {
      ok: false,
      text: 'This was done already, or it was agreed to too late. Ask for it again.',
    })
  if (context.changes >= MOST_CHANGES)
    return sendJson(response, 503, { ok: false, text: 'Too many changes are under way.' })
  context.changes++
  const left = new AbortController()
  response.once('close', () => left.abort())
  try {
    const outcome = await perform(action, left.signal)
    const of = action.type === 'resize' ? action.pool : action.service
    const text = `${action.type}, asked for here: ${outcome.text}`
    context.collector.events.add([{ at: Date.now(), kind: 'change', of, text, lastWords: [] }])
    sendJson(response, 200, outcome)
  } finally {
    context.changes--
  }
}

/** What was sent cannot be read. */
class BadRequest extends Error {
  override readonly name = 'BadRequest'
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  if (request.headers['content-type'] !== 'application/json') throw new BadRequest('It must be JSON.')
  let text = ''
  for await (const piece of request.setEncoding('utf8')) {
    text += String(piece)
    if (text.length > MOST_BODY_BYTES) throw new BadRequest('It is too long.')
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequest('It must be JSON.')
  }
}

/** Whoever asked for what is not possible is told why; what else went wrong is not for strangers to read, but all here have the token. */
function fail(response: ServerResponse, error: Error): void {
  if (response.headersSent) return void response.destroy()
  const isTheirs = isThreadwiseError(error) || error.name === 'BadRequest'
  sendJson(response, isTheirs ? 400 : 500, { ok: false, text: error.message })
}

function sendJson(response: ServerResponse, code: number, value: unknown): void {
  send(response, code, 'application/json', JSON.stringify(value))
}

/** Who is refused keeps no connection, of which there are so many. */
function send(response: ServerResponse, code: number, type: string, text: string): void {
  if (code >= 400) response.setHeader('connection', 'close')
  response.writeHead(code, { 'content-type': `${type}; charset=utf-8` }).end(text)
}
