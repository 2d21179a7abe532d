// Who asks the apps: as many requests as they take, by what they speak, and clients that stay connected.
import { once } from 'node:events'
import { connect, constants } from 'node:http2'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { load } from '../../build/measure/load/load.js'

const { NGHTTP2_REFUSED_STREAM } = constants

const CONNECTIONS = 8
/** Clients of WebSockets and Socket.IO. */
const LASTING = 20

/** Asks until end() is called, which resolves with the counts. */
export function ask(speaks, place) {
  return speaks === 'http' ? askHttp1(place) : askHttp2(speaks === 'h2' ? 'https' : 'http', place)
}

function askHttp1({ port, socket }) {
  const over = new AbortController()
  const options = { connections: CONNECTIONS, warmup: 0, duration: 600, signal: over.signal, socket }
  const running = load(`http://127.0.0.1:${port}/`, options)
  return {
    async end() {
      over.abort()
      const { requests, errors, resent, statuses } = await running
      const refused = Object.entries(statuses).filter(([status]) => status >= 400)
      return { requests, failed: refused.reduce((sum, [, count]) => sum + count, errors + resent) }
    },
  }
}

/**
 * One session a client, with one request after the other. When the server says that the session ends, the next request opens a new one; one
 * that was refused meanwhile was not worked on, and is sent again (RFC 9113, section 8.7).
 */
function askHttp2(scheme, { port }) {
  const counts = { requests: 0, failed: 0 }
  let isOver = false
  const client = async () => {
    while (!isOver) {
      const session = connect(`${scheme}://127.0.0.1:${port}`, { rejectUnauthorized: false })
      session.on('error', () => {}) // the request that waits fails with it
      while (!isOver && !session.closed && !session.destroyed) {
        const end = await answered(session)
        if (end === 'refused') break
        counts.requests++
        if (end !== 200) counts.failed++
      }
      session.destroy()
    }
  }
  const running = Promise.all(Array.from({ length: CONNECTIONS }, client))
  return {
    async end() {
      isOver = true
      await running
      return counts
    },
  }
}

/** With the status, 0 where there is none, or `refused`. */
function answered(session) {
  return new Promise((resolve) => {
    const request = session.request({ ':path': '/' })
    let status = 0
    request.on('response', (headers) => (status = headers[':status']))
    request.on('error', () => {}) // it closes
    request.on('close', () => resolve(request.rstCode === NGHTTP2_REFUSED_STREAM ? 'refused' : status))
    request.resume()
  })
}

/** Clients that connect anew when they are disconnected; `folder` has their package. */
export async function stay(kind, { port, folder }) {
  if (kind === undefined) return { end() {} }
  const require = createRequire(join(folder, 'package.json'))
  const clients = await Promise.all(Array.from({ length: LASTING }, () => KINDS[kind](require, port)))
  return { end: () => clients.forEach((close) => close()) }
}

const KINDS = {
  async ws(require, port) {
    const { WebSocket } = require('ws')
    let isOver = false
    let socket
    const open = () => {
      socket = new WebSocket(`ws://127.0.0.1:${port}/`)
      socket.on('error', () => {})
      socket.on('close', () => !isOver && setTimeout(open, 100))
    }
    open()
    await once(socket, 'open')
    return () => {
      isOver = true
      socket.terminate()
    }
  },
  async 'socket.io'(require, port) {
    const { io } = require('socket.io-client')
    const socket = io(`http://127.0.0.1:${port}/`, { transports: ['websocket'], forceNew: true })
    await new Promise((resolve) => socket.once('connect', resolve))
    return () => socket.disconnect()
  },
}
