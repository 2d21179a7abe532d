// Asks an app for a page, and reads all of its answer.

import { Agent, request as plainRequest, type IncomingMessage } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'

export interface HttpQuestion {
  readonly method: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly body: string | Uint8Array | undefined
}

export interface HttpAnswer {
  /** 0: there was none. */
  readonly status: number
  /** Headers that say something about the answer, and its body. */
  readonly text: string
}

export interface Asker {
  /** Never rejects. */
  ask(path: string): Promise<HttpAnswer>
  close(): void
}

const TIMEOUT_MS = 15_000
/** They are of the connection or of the moment, or follow from the body. */
const NOT_COMPARED =
  /^(date|connection|keep-alive|transfer-encoding|content-length|etag|age|server-timing|x-response-time)$/
const MOST_BYTES = 4_000_000

export function createAsker(origin: string, ask: HttpQuestion, connections: number): Asker {
  const isTls = origin.startsWith('https:')
  const agent = new (isTls ? TlsAgent : Agent)({ keepAlive: true, maxSockets: connections })
  return {
    ask: (path) => askOnce(new URL(path, origin), { ...ask, agent, isTls }, true),
    close: () => agent.destroy(),
  }
}

interface Way extends HttpQuestion {
  readonly agent: Agent
  readonly isTls: boolean
}

function askOnce(url: URL, way: Way, mayRepeat: boolean): Promise<HttpAnswer> {
  const { method = way.body === undefined ? 'GET' : 'POST', headers, body, agent, isTls } = way
  return new Promise((resolve) => {
    const options = {
      method,
      agent,
      timeout: TIMEOUT_MS,
      ...(headers && { headers }),
      ...(isTls && { rejectUnauthorized: false }),
    }
    const request = (isTls ? tlsRequest : plainRequest)(url, options, (response) => {
      readAll(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), fail)
    })
    const fail = (error: NodeJS.ErrnoException) => {
      // The server has closed an idle connection in the same moment.
      const isIdle = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET'
      if (isIdle && mayRepeat) resolve(askOnce(url, way, false))
      else resolve({ status: 0, text: error.code ?? error.message })
    }
    request.on('timeout', () => request.destroy(new Error('timeout')))
    request.on('error', fail)
    request.end(body)
  })
}

async function readAll(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes <= MOST_BYTES) parts.push(part)
  }
  const head = Object.entries(response.headers)
    .filter(([name]) => !NOT_COMPARED.test(name))
    .map(([name, value]) => `${name}: ${String(value)}\n`)
  const body = Buffer.concat(parts)
  const isText = !response.headers['content-encoding'] && !body.includes(0)
  return `${head.sort().join('')}\n${isText ? body.toString() : body.toString('latin1')}`
}
