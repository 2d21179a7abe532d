// Services for tests: a file that a test may rewrite, on a port of its own, stopped with the test.
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { freePort } from './free-port.js'
import { serve } from '../../dist/cluster.js'
import { load } from '../../build/measure/load/load.js'
import { askUntil } from './waiting.js'
import { temporaryFolder } from './files.js'

/**
 * A server that answers with the given word; `more` is code that runs before it listens. The head of /late comes at once:
 * whoever has it knows that the request is with an instance.
 */
export const program = (word, more = '') => `
  import { createServer } from 'node:http'
  const server = createServer((request, response) => {
    if (request.url === '/pid') response.end(String(process.pid))
    else if (request.url === '/slow') setTimeout(() => response.end('${word}'), 400)
    else if (request.url === '/late') {
      response.writeHead(200, { connection: 'close' }).flushHeaders()
      setTimeout(() => response.end('${word}'), 400)
    } else response.end('${word}')
  })
  ${more}
  server.listen(Number(process.env.PORT), '127.0.0.1')`

/** A service of `text`; `rewrite` changes the file, `events` are those so far, `seen` waits for one. */
export async function service(t, text, options = {}) {
  const file = join(temporaryFolder(t), 'server.mjs')
  const rewrite = (other) => writeFileSync(file, other)
  rewrite(text)
  const port = await freePort()
  const log = eventLog()
  const { env = {}, ...rest } = options
  const all = { instances: 2, env: { PORT: String(port), ...env }, onEvent: log.add, ...rest }
  const running = await serve(file, all)
  t.after(async () => {
    const stopped = running.stop()
    running.kill()
    await stopped
  })
  return {
    service: running,
    rewrite,
    url: `http://127.0.0.1:${port}/`,
    port,
    events: log.events,
    seen: log.seen,
  }
}

/** The load of each instance, when all report it and it is as wanted: an instance that is held up for a second reports none. */
export function loadsOf(running, areWanted = () => true) {
  const ask = async () => (await running.inspect()).instances.map(({ load }) => load)
  return askUntil(ask, (loads) => !loads.includes(null) && areWanted(loads))
}

function eventLog() {
  const events = []
  let waiting = []
  return {
    events,
    add(event) {
      events.push(event)
      waiting = waiting.filter((look) => !look(event))
    },
    /** Resolves with the next event for which `matches` holds, from now on. */
    seen: (matches) =>
      new Promise((resolve) => {
        waiting.push((event) => {
          if (!matches(event)) return false
          resolve(event)
          return true
        })
      }),
  }
}

/** Load until `stop`, which gives the result: a request that had to be sent again is an error here, since what is tested is that none is lost. */
export function loadUntil(url, options = {}) {
  const end = new AbortController()
  const running = load(url, { connections: 64, warmup: 0, duration: 600, signal: end.signal, ...options })
  return {
    async stop() {
      end.abort()
      const result = await running
      result.errors += result.resent
      result.errorsByKind.reset += result.resent
      return result
    },
  }
}

/** Resolves when the load has got so many answers that, without a rate, all of its connections are open. */
export function loadThatRuns(url, options = {}) {
  return new Promise((resolve) => {
    const running = loadUntil(url, {
      ...options,
      onProgress: ({ answers }) => {
        if (answers > 30 * (options.connections ?? 64)) resolve(running)
      },
    })
  })
}

/** One connection that is kept open: `get` asks on it and calls `begins` at the head of the answer, `closed` resolves when the server closes it. */
export function keptConnection(t, url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  let close
  const closed = new Promise((resolve) => (close = resolve))
  return {
    closed,
    get: (path = '/', begins = () => {}) => {
      return new Promise((resolve, reject) => {
        const asked = request(new URL(path, url), { agent }, (response) => {
          begins()
          let body = ''
          response.setEncoding('utf8').on('data', (text) => (body += text))
          response.on('end', () => {
            resolve({ body, connection: response.headers.connection, isReused: asked.reusedSocket })
          })
        })
        asked.on('socket', (socket) => socket.once('close', close))
        asked.on('error', reject)
        asked.end()
      })
    },
  }
}

export const textOf = async (url) => (await fetch(url, { headers: { connection: 'close' } })).text()
