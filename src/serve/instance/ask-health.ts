// The health check: a GET of a path to the server of this very instance. No port is involved, so no other instance can answer.

import { request, Server as HttpServer } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import { Server as HttpsServer } from 'node:https'
import type { Server } from 'node:net'
import { Duplex } from 'node:stream'
import { connectionEvent } from './watch-servers.js'

/** A check without an answer for so long has failed. */
const ANSWER_MS = 5000

export interface Health {
  isHealthy: boolean
  /** Null: none came. */
  status: number | null
  /** What came, for a message. */
  answer: string
}

export async function askHealth(server: Server, path: string): Promise<Health> {
  const [near, far] = createPair()
  try {
    const isHttp1 = server instanceof HttpServer || server instanceof HttpsServer
    const status = await (isHttp1 ? askHttp1 : askHttp2)({ server, path, near, far })
    return { isHealthy: status >= 200 && status < 300, status, answer: `it answered with status ${status}` }
  } catch (error) {
    return { isHealthy: false, status: null, answer: (error as Error).message }
  } finally {
    near.destroy()
    far.destroy()
  }
}

interface Question {
  readonly server: Server
  readonly path: string
  readonly near: ConnectionEnd
  readonly far: ConnectionEnd
}

const late = () => new Error(`it gave no answer within ${ANSWER_MS} ms`)

/** The status of the answer. */
function askHttp1({ server, path, near, far }: Question): Promise<number> {
  return new Promise((resolve, reject) => {
    const question = request({
      path,
      method: 'GET',
      timeout: ANSWER_MS,
      headers: { host: 'localhost', connection: 'close' },
      createConnection: () => near,
    })
    question.on('response', (response) => resolve(response.statusCode!))
    question.on('timeout', () => reject(late()))
    question.on('error', reject)
    // Documented: any stream may be given to an HTTP server as a connection.
    server.emit(connectionEvent(server), far)
    question.end()
  })
}

/** The sessions of health checks over HTTP/2, whose sockets are only proxies. */
const healthSessions = new WeakSet()

/** A server of HTTP/2 speaks it with a connection on which TLS has chosen no protocol, also one that allows HTTP/1. */
async function askHttp2({ server, path, near, far }: Question): Promise<number> {
  const { connect } = await import('node:http2') // few servers need it, and it takes time to load
  let client: ClientHttp2Session | undefined
  try {
    return await new Promise((resolve, reject) => {
      client = connect('http://localhost', { createConnection: () => near })
      client.on('error', reject)
      server.once('session', (session: object) => healthSessions.add(session))
      server.emit(connectionEvent(server), far)
      const question = client.request({ ':path': path })
      question.setTimeout(ANSWER_MS, () => reject(late()))
      question.on('response', ({ ':status': status }) => resolve(Number(status)))
      question.on('error', reject)
      question.end()
    })
  } finally {
    client?.destroy()
  }
}

/** Whether a request belongs to a health check: it is not counted. */
export function isHealthRequest(asked: { readonly socket: unknown; readonly stream?: unknown }): boolean {
  const { session } = (asked.stream ?? {}) as { session?: object }
  return asked.socket instanceof ConnectionEnd || (session !== undefined && healthSessions.has(session))
}

/** Two ends of a connection in memory. They have an address, since frameworks read it and may fail without one. */
function createPair(): [ConnectionEnd, ConnectionEnd] {
  const near = new ConnectionEnd()
  const far = new ConnectionEnd()
  near.other = far
  far.other = near
  return [near, far]
}

class ConnectionEnd extends Duplex {
  other: ConnectionEnd | null = null
  readonly remoteAddress = '127.0.0.1'
  readonly remoteFamily = 'IPv4'
  readonly remotePort = 0
  readonly encrypted = false
  #timer: NodeJS.Timeout | undefined

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.other?.push(chunk)
    done()
  }

  override _final(done: () => void): void {
    if (this.other?.destroyed === false) this.other.push(null)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearTimeout(this.#timer)
    done(error)
  }

  /** What node:http expects of a socket. */
  setTimeout(ms: number, listener?: () => void): this {
    clearTimeout(this.#timer)
    if (listener) this.once('timeout', listener)
    if (ms > 0) this.#timer = setTimeout(() => this.emit('timeout'), ms)
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }
  destroySoon(): void {
    if (this.writable) this.end()
    if (this.writableFinished) this.destroy()
    else this.once('finish', () => this.destroy())
  }
}
