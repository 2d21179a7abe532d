// The health check: a GET of a path to the server of this very instance. No port is involved, so no other instance can answer.

import { request } from 'node:http'
import type { Server } from 'node:net'
import { Duplex } from 'node:stream'
import { connectionEvent } from './watch-servers.js'

/** A check without an answer for so long has failed. */
const ANSWER_MS = 5000

export interface Health {
  isHealthy: boolean
  /** What came, for a message. */
  answer: string
}

export function askHealth(server: Server, path: string): Promise<Health> {
  return new Promise((resolve) => {
    const [near, far] = createPair()
    const settle = (isHealthy: boolean, answer: string) => {
      resolve({ isHealthy, answer })
      near.destroy()
      far.destroy()
    }
    const question = request({
      ...{ path, method: 'GET', timeout: ANSWER_MS, headers: { host: 'localhost', connection: 'close' } },
      createConnection: () => near,
    })
    question.on('response', (response) => {
      const status = response.statusCode!
      settle(status >= 200 && status < 300, `it answered with status ${status}`)
    })
    question.on('timeout', () => settle(false, `it gave no answer within ${ANSWER_MS} ms`))
    question.on('error', (error) => settle(false, error.message))
    // Documented: any stream may be given to an HTTP server as a connection.
    server.emit(connectionEvent(server), far)
    question.end()
  })
}

/** Whether a socket belongs to a health check: its requests are not counted. */
export function isHealthConnection(socket: unknown): boolean {
  return socket instanceof ConnectionEnd
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
