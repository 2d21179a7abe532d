// Finds the first HTTP server of a program that listens on a port.

import { Server as HttpServer } from 'node:http'
import { Server } from 'node:net'
import { Server as TlsServer } from 'node:tls'

export interface ListeningPlace {
  address: string
  port: number
  isTls: boolean
}

export function watchListening(tell: (place: ListeningPlace) => void): void {
  const prototype = Server.prototype as { listen: (...args: unknown[]) => Server }
  const { listen } = prototype
  let isFound = false
  // On the prototype, since frameworks create the server by themselves, and all kinds of servers inherit it.
  prototype.listen = function (this: Server, ...args: unknown[]) {
    this.once('listening', () => {
      const place = this.address()
      const isHttp = this instanceof HttpServer || this.listenerCount('request') > 0
      if (isFound || !isHttp || typeof place !== 'object' || place === null) return
      isFound = true
      prototype.listen = listen
      tell({ address: place.address, port: place.port, isTls: this instanceof TlsServer })
    })
    return listen.apply(this, args)
  }
}
