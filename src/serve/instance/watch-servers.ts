// Keeps a list of the servers of an instance and their open connections, without a change in the user's code.

import { errorMonitor, type EventEmitter } from 'node:events'
import { Server as HttpServer } from 'node:http'
import { Server as NetServer, type ListenOptions, type Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'

export interface WatchedServer {
  readonly server: NetServer
  /** Connections with their TLS handshake done. */
  readonly sockets: ReadonlySet<Socket>
  /** The sessions of HTTP/2, each with its connection. */
  readonly sessions: ReadonlyMap<Http2Session, Socket | undefined>
}

/** The part of a session of HTTP/2 that is used here. */
export interface Http2Session {
  readonly destroyed: boolean
  close(): void
  goaway(code: number, lastStream: number): void
  once(event: 'close', listener: () => void): unknown
  on(event: 'stream', listener: () => void): unknown
  off(event: 'stream', listener: () => void): unknown
}

export interface Servers {
  all(): Iterable<WatchedServer>
  /** Those that speak HTTP. */
  http(): NetServer[]
  /** Called with each server, before it listens; `isChosen`: on a port or path of its choice. */
  onServer(listener: (server: NetServer, isChosen: boolean) => void): unknown
  /** Called when a server stops listening. Its event 'close' may come much later, with the end of its last connection. */
  onClose(listener: (server: NetServer) => void): unknown
  /** Resolves when all servers whose listen() was called do listen, or have failed to: what only one of them says is not the whole. */
  opened(): Promise<void>
  /** For a server of ours. */
  listenUnwatched(server: NetServer, options: ListenOptions): void
}

export function watchServers(): Servers {
  const watched = new Map<NetServer, WatchedServer>()
  const prototype = NetServer.prototype as Record<'listen' | 'close', (...args: unknown[]) => NetServer>
  const { listen, close } = prototype
  const opening = new Map<NetServer, Promise<void>>()
  const listeners: ((server: NetServer, isChosen: boolean) => void)[] = []
  const closeListeners: ((server: NetServer) => void)[] = []
  // On the prototype, since frameworks create the server by themselves, and all kinds of servers inherit it.
  prototype.listen = function (this: NetServer, ...args: unknown[]) {
    if (!watched.has(this)) {
      watched.set(this, watch(this))
      for (const listener of listeners) listener(this, isChosen(args[0]))
    }
    listen.apply(this, args)
    if (!opening.has(this))
      opening.set(
        this,
        untilOpen(this).finally(() => opening.delete(this)),
      )
    return this
  }
  prototype.close = function (this: NetServer, ...args: unknown[]) {
    if (this.listening) for (const listener of closeListeners) listener(this)
    return close.apply(this, args)
  }
  return {
    all: () => watched.values(),
    onServer: (listener) => listeners.push(listener),
    onClose: (listener) => closeListeners.push(listener),
    listenUnwatched: (server, options) => void listen.call(server, options),
    async opened() {
      while (opening.size > 0) await Promise.all(opening.values())
    },
    http: () => [...watched.keys()].filter((server) => server.listening && isHttp(server)),
  }
}

/** Its error stays unhandled where it was. */
function untilOpen(server: EventEmitter): Promise<void> {
  return new Promise((resolve) => {
    const events = ['listening', 'close', errorMonitor]
    const done = () => {
      for (const event of events) server.off(event, done)
      resolve()
    }
    for (const event of events) server.on(event, done)
  })
}

/** listen(port), listen(path) or listen({ port, path }); without a port the system chooses one. */
function isChosen(first: unknown): boolean {
  if (typeof first === 'string') return first !== '' && first !== '0'
  if (typeof first !== 'object' || first === null) return Number(first) > 0
  const { port, path } = first as { port?: unknown; path?: unknown }
  return path !== undefined || Number(port) > 0
}

function watch(server: NetServer): WatchedServer {
  const sockets = new Set<Socket>()
  const sessions = new Map<Http2Session, Socket | undefined>()
  let newest: Socket | undefined
  const add = (socket: Socket) => {
    newest = socket
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  }
  // Before the listener that reads the first request.
  server.prependListener(connectionEvent(server), add)
  server.on('session', (session: Http2Session) => {
    // Node emits this while it handles that connection; session.socket is only a proxy.
    sessions.set(session, newest)
    session.once('close', () => sessions.delete(session))
  })
  return { server, sockets, sessions }
}

/** With TLS, requests come on the decrypting socket, not on the one that was accepted. */
export function connectionEvent(server: NetServer): 'connection' | 'secureConnection' {
  return server instanceof TlsServer ? 'secureConnection' : 'connection'
}

/** https.Server does not inherit from http.Server, nor does that of HTTP/2. */
function isHttp(server: NetServer): boolean {
  return server instanceof HttpServer || server.listenerCount('request') > 0
}
