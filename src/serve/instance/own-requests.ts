// The requests of an app to its own servers while it is shut, such as one that warms itself up before it says that it is ready. To its port
// they would come to others, or wait until it is ready: entrance.ts.
//
//   fetch('http://localhost:3000/') ──> Socket.connect ──> the door, a port of this process on 127.0.0.1 ──> the handle of its server
//
// Any client of the main thread connects by net.Socket. The door takes only what was dialed here: to others it would be a way around the file
// mode of a Unix socket.

import { Server, Socket } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import type { Servers } from './watch-servers.js'

/** In which both ends of a connection are known in this process. */
const MATCH_MS = 1000
const LOOPBACK = '127.0.0.1'

/** What is used here of the handle of a connection, or of a server. */
interface Handle {
  close(): void
  getsockname?: ((out: Place) => number) | undefined
  getpeername?: ((out: Place) => number) | undefined
  onconnection?: (status: number, client: Handle) => void
}

interface Place {
  address?: string
  port?: number
}

interface Door {
  readonly port: number | undefined
  /** This socket is about to connect to it. */
  expect(socket: Socket): void
  close(): void
}

/** Gives what ends it: from then on they go where those of others go. */
export function takeOwnRequests(servers: Servers): () => void {
  const doors = new Map<Server, Door>()
  let isOver = false
  servers.onServer((server) => {
    if (!isOver) doors.set(server, openDoor(server, servers))
  })
  const prototype = Socket.prototype as unknown as { connect: (...args: unknown[]) => Socket }
  const { connect } = prototype
  prototype.connect = function (this: Socket, ...args) {
    const target = isOver ? undefined : targetOf(args)
    const door = target && [...doors].find(([server]) => isAt(server, target))?.[1]
    if (door?.port === undefined) return connect.apply(this, args)
    door.expect(this)
    return connect.apply(this, redirected(args, target!, door.port))
  }
  return () => {
    isOver = true
    for (const door of doors.values()) door.close()
    doors.clear()
  }
}

interface Target extends Place {
  readonly host?: string | undefined
  readonly path?: string | undefined
}

/** connect(port, host), connect(path), connect(options), or with what node:net has made of these: a list that begins with options. */
function targetOf([first, second]: unknown[]): Target | undefined {
  const given = Array.isArray(first) ? (first[0] as unknown) : first
  if (typeof given === 'object') return (given as Target | null) ?? undefined
  if (typeof given === 'string' && !/^\d+$/.test(given)) return { path: given }
  return { port: Number(given), host: typeof second === 'string' ? second : undefined }
}

function redirected(args: unknown[], target: Target, port: number): unknown[] {
  const none = { path: undefined, lookup: undefined, localAddress: undefined, localPort: undefined }
  const options = { ...target, ...none, family: 4, host: LOOPBACK, port }
  const [first, ...rest] = args
  if (!Array.isArray(first)) return [options, ...rest.filter((each) => typeof each === 'function')]
  first[0] = options // in place: the list has a mark of node:net
  return args
}

function isAt(server: Server, { host, port, path }: Target): boolean {
  const own = server.listening ? server.address() : null
  if (own === null) return false
  if (typeof own === 'string') return typeof path === 'string' && resolve(path) === resolve(own)
  if (path || Number(port) !== own.port) return false
  const name = (host || 'localhost').replace(/^\[|\]$/g, '')
  const isLoopback = isOfLoopback(name)
  if (['0.0.0.0', '::'].includes(own.address)) return isLoopback || isOfThisMachine(name)
  return name === own.address || (isLoopback && isOfLoopback(own.address))
}

function isOfLoopback(name: string): boolean {
  return ['localhost', '::1', '0.0.0.0', '::'].includes(name) || /^(::ffff:)?127\./.test(name)
}

function isOfThisMachine(name: string): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? [])
  return name === hostname() || addresses.some(({ address }) => address === name)
}

function openDoor(server: Server, servers: Servers): Door {
  const match = matchEnds((client) => enter(client, server))
  const door = new Server()
  door.on('error', () => {}) // without it such a request goes where others go
  door.on('listening', () => {
    handleOf(door)!.onconnection = (status, client) => {
      const peer: Place = {}
      if (status === 0 && client.getpeername?.(peer) === 0) match.arrived(peer.port!, client)
    }
  })
  servers.listenUnwatched(door, { host: LOOPBACK, port: 0, exclusive: true })
  door.unref()
  return {
    get port() {
      const own = door.address()
      return own !== null && typeof own === 'object' ? own.port : undefined
    },
    expect: (socket) => void socket.prependOnceListener('connect', () => match.dialed(socket.localPort!)),
    close() {
      door.close()
      match.close()
    },
  }
}

/** Calls `onMatch` with each connection whose other end is of this process too: either of the two may be known first. */
function matchEnds(onMatch: (client: Handle) => void) {
  const dialed = new Set<number>()
  const waiting = new Map<number, Handle>()
  return {
    dialed(port: number) {
      const client = waiting.get(port)
      waiting.delete(port)
      if (client) onMatch(client)
      else dialed.add(port)
    },
    arrived(port: number, client: Handle) {
      if (dialed.delete(port)) return onMatch(client)
      waiting.set(port, client)
      setTimeout(() => waiting.delete(port) && client.close(), MATCH_MS).unref()
    },
    close() {
      for (const client of waiting.values()) client.close()
      waiting.clear()
    },
  }
}

function enter(client: Handle, server: Server): void {
  const handle = handleOf(server)
  if (!handle?.onconnection) return client.close()
  nameAs(client, server)
  handle.onconnection(0, client)
}

/** Both ends of a connection that has come to this server, as if it had come by its own way. */
function nameAs(client: Handle, server: Server): void {
  const own = server.address()
  const { getsockname } = client
  if (own === null || typeof own === 'string')
    Object.assign(client, { getsockname: undefined, getpeername: undefined })
  else client.getsockname = (out) => getsockname!.call(client, out) || ((out.port = own.port), 0)
}

function handleOf(server: Server): Handle | undefined {
  return (server as unknown as { _handle?: Handle | null })._handle ?? undefined
}
