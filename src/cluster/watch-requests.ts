// Tells the meter of each request to a server of this instance.

import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isHealthConnection } from './ask-health.js'
import type { LoadMeter } from './load-meter.js'
import type { Servers } from './watch-servers.js'

interface Started {
  request: IncomingMessage
  response: ServerResponse
}

export function watchRequests(servers: Servers, meter: LoadMeter): void {
  const watch = ({ request, response }: Started) => {
    if (isHealthConnection(request.socket)) return
    const began = meter.began()
    // Comes in any case, also when the client has gone; 'finish' does not.
    response.once('close', () => meter.ended(began, !response.writableFinished || response.statusCode >= 500))
  }
  // node:http publishes all its requests: no listener is added to a server of the user, which might look at them.
  subscribe('http.server.request.start', (message) => watch(message as Started))
  servers.onServer((server) => {
    // HTTP/2 does not publish. A listener on a server that works with streams alone would change what it does.
    if (server.listenerCount('request') === 0) return
    server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
      if (request.httpVersionMajor >= 2) watch({ request, response })
    })
  })
}
