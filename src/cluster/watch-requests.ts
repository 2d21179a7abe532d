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

/** When the request of this response came, while it is open. */
const began = Symbol('began')
type Watched = ServerResponse & { [began]?: number | undefined }

export function watchRequests(servers: Servers, meter: LoadMeter): void {
  // One for all responses, which are told apart by `this`: a closure and a wrapper for each would double what watching costs.
  function onClose(this: Watched): void {
    if (this[began] === undefined) return
    meter.ended(this[began], !this.writableFinished || this.statusCode >= 500)
    this[began] = undefined
  }
  const watch = ({ request, response }: Started) => {
    if (isHealthConnection(request.socket)) return
    const watched: Watched = response
    if (watched[began] !== undefined) return // with HTTP/2: a server may hand its requests on to another one
    watched[began] = meter.began()
    response.on('close', onClose) // comes in any case, also when the client has gone; 'finish' does not
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
