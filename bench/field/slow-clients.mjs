// Clients that keep their connection and ask about once a second, as browsers and proxies do.
import { Agent, get } from 'node:http'
import { connect } from 'node:http2'
import { setTimeout as delay } from 'node:timers/promises'

const CLIENTS = 30
/** Milliseconds between two requests of one client: so much, and as much again by chance. */
const PAUSE_MS = 300

/** An answer that takes longer does not come. */
const LIMIT_MS = 20_000

/** Asks until stop(), which gives the counts by status or error code. */
export function slowClients(url, { isHttp2 = false } = {}) {
  const counts = {}
  let isOver = false
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    let session
    await delay(Math.random() * PAUSE_MS)
    while (!isOver) {
      if (isHttp2 && (!session || session.closed || session.destroyed)) session = connect(url).on('error', () => {})
      const came = await (isHttp2 ? askSession(session) : askOnce(url, agent))
      counts[came] = (counts[came] ?? 0) + 1
      await delay(PAUSE_MS + Math.random() * 2 * PAUSE_MS)
    }
    agent.destroy()
    session?.close()
  }
  const all = Promise.all(Array.from({ length: CLIENTS }, client))
  return {
    async stop() {
      isOver = true
      await all
      return counts
    },
  }
} // prettier-ignore

function askOnce(url, agent) {
  return new Promise((resolve) => {
    const asked = get(url, { agent, signal: AbortSignal.timeout(LIMIT_MS) }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode)).on('error', ({ code }) => resolve(code))
    })
    asked.on('error', ({ code }) => resolve(code))
  })
} // prettier-ignore

function askSession(session) {
  return new Promise((resolve) => {
    const asked = session.request({ ':path': '/' })
    let status
    asked.on('response', (headers) => (status = headers[':status']))
    asked.on('error', ({ code }) => resolve(code))
    asked.setTimeout(LIMIT_MS, () => asked.close())
    asked.resume().on('close', () => resolve(status ?? 'no answer'))
  })
}
