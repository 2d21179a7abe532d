// Finds the HTTP servers of a program that listen, and those that speak something else.

import { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'

export interface ListeningPlace {
  /** An address, with its port; or the path of a socket file, without one. */
  address: string
  port: number | null
  isTls: boolean
}

/** Nobody can send HTTP/1.1 to it. */
export interface OtherServer {
  protocol: 'HTTP/2' | 'no HTTP'
}

/** `hasFreePorts`: two of the same app are to run side by side, so a server that wants a port of its own gets a free one. */
export function watchListening(
  tell: (place: ListeningPlace) => void,
  tellOther: (server: OtherServer) => void,
  hasFreePorts = false,
): void {
  const prototype = Server.prototype as { listen: (...args: unknown[]) => Server }
  const { listen } = prototype
  // On the prototype, since frameworks create the server by themselves, and all kinds of servers inherit it.
  prototype.listen = function (this: Server, ...args: unknown[]) {
    this.once('listening', () => {
      const place = this.address()
      if (place === null) return
      const protocol = protocolOf(this)
      if (protocol === 'no HTTP' && typeof place === 'string') return // loaders and test runners talk to their parts so
      if (protocol !== 'HTTP/1') return tellOther({ protocol })
      const at = typeof place === 'string' ? { address: place, port: null } : place
      tell({ address: at.address, port: at.port, isTls: this instanceof TlsServer })
    })
    return listen.apply(this, hasFreePorts && protocolOf(this) === 'HTTP/1' ? atFreePort(args) : args)
  }
}

/** Servers of other packages that speak HTTP/1 are known by their events. One of HTTP/2 has these limits where it takes HTTP/1 too. */
function protocolOf(server: Server): 'HTTP/1' | OtherServer['protocol'] {
  if (server instanceof HttpServer) return 'HTTP/1'
  const isHttp2 = /^Http2(Secure)?Server$/.test(server.constructor.name)
  if (isHttp2) return 'headersTimeout' in server ? 'HTTP/1' : 'HTTP/2'
  return server.listenerCount('request') > 0 ? 'HTTP/1' : 'no HTTP'
}

/** As net.Server takes them: a port or `{ port }` first. `PORT` is free already. */
function atFreePort([where, ...rest]: unknown[]): unknown[] {
  const isPort = (value: unknown) =>
    (typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value))) &&
    String(value) !== process.env.PORT
  if (isPort(where)) return [0, ...rest]
  if (typeof where === 'object' && where !== null && 'port' in where && isPort(where.port))
    return [{ ...where, port: 0 }, ...rest]
  return [where, ...rest]
}
