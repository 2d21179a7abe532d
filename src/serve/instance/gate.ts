// The gate keeps the port from an instance with reusePort until it is ready, while its own code sees a server that listens.
//
// Such an instance listens by itself, and the kernel gives it connections as soon as it does. Its listen() cannot be put off: many programs
// send 'ready' in its callback. So net.Server gets a handle that does nothing; when the gate opens, the real handle is put behind it.

import cluster from 'node:cluster'
import { Server } from 'node:net'
import { getSystemErrorName } from 'node:util'

/** UV_TCP_IPV6ONLY. */
const IPV6_ONLY = 1

/** What node:net calls on the handle that it gets from node:cluster. */
interface ListenHandle {
  listen(backlog: number): number
  close(): void
  ref(): void
  unref(): void
  getsockname?(out: object): number
  /** Set by node:net. */
  onconnection?(status: number, client: unknown): void
}

interface ListenQuery {
  address: string | null
  /** -1 for a path. */
  port: number
  addressType: 4 | 6 | -1
  flags?: number
}

type GetServer = (
  server: unknown,
  query: ListenQuery,
  callback: (errno: number, handle: ListenHandle | null, problem?: string) => void,
) => void

export interface Gate {
  /** Resolves with what went wrong, or null. */
  open(): Promise<string | null>
}

/** Null where this version of Node has no such hook. */
export function createGate(onListen: () => void): Gate | null {
  // listen() calls this inside an instance, in all versions of Node so far (26); there is no public way.
  const api = cluster as unknown as { _getServer?: GetServer }
  const shared = api._getServer
  if (typeof shared !== 'function') return null
  const waiting: (() => Promise<string | null>)[] = []
  let isOpen = false
  api._getServer = function (server, query, callback) {
    if (!(server instanceof Server)) return shared.call(cluster, server, query, callback)
    if (isOpen && query.port >= 0) return listenAlone(query, callback)
    server.once('listening', onListen)
    if (query.port < 0) return shared.call(cluster, server, query, callback) // of a path there is one socket
    const held = createHeldHandle(query)
    waiting.push(() => attach(held, (done) => listenAlone(query, done)))
    process.nextTick(() => callback(0, held.handle))
  }
  return {
    async open() {
      isOpen = true
      const problems = await Promise.all(waiting.splice(0).map((connect) => connect()))
      return problems.find((problem) => problem !== null) ?? null
    },
  }
}

interface HeldHandle {
  readonly handle: ListenHandle
  real: ListenHandle | null
  isClosed: boolean
}

function createHeldHandle(query: ListenQuery): HeldHandle {
  const held: HeldHandle = {
    real: null,
    isClosed: false,
    handle: {
      listen: () => 0,
      close() {
        held.isClosed = true
        held.real?.close()
      },
      ref: () => held.real?.ref(),
      unref: () => held.real?.unref(),
    },
  }
  held.handle.getsockname = (out) => held.real?.getsockname?.(out) ?? answerAsAsked(query, out)
  return held
}

function answerAsAsked({ address, port, addressType }: ListenQuery, out: object): number {
  const family = addressType === 4 ? 'IPv4' : 'IPv6'
  Object.assign(out, { address: address ?? (addressType === 4 ? '0.0.0.0' : '::'), family, port })
  return 0
}

function attach(
  held: HeldHandle,
  ask: (done: (errno: number, handle: ListenHandle | null, problem?: string) => void) => void,
): Promise<string | null> {
  return new Promise((resolve) => {
    if (held.isClosed) return resolve(null)
    ask((errno, real, problem) => {
      if (problem !== undefined) return resolve(problem)
      if (real === null || errno !== 0) return resolve(`listen failed with ${getSystemErrorName(errno)}`)
      held.real = real
      // node:net finds the server by the handle on which it is called.
      real.onconnection = (status, client) => held.handle.onconnection?.(status, client)
      if (held.isClosed) real.close()
      resolve(null)
    })
  })
}

/** Without node:cluster: a server of our own holds the handle that belongs to this instance alone. */
function listenAlone(
  { address, port, flags = 0 }: ListenQuery,
  callback: (errno: number, handle: ListenHandle | null, problem?: string) => void,
): void {
  if (port === 0)
    return callback(0, null, 'with reusePort it must listen on a port of its choice, not on port 0')
  const own = new Server()
  own.once('error', ({ errno }: NodeJS.ErrnoException) => callback(errno ?? -1, null))
  own.once('listening', () => callback(0, (own as unknown as { _handle: ListenHandle })._handle))
  const options = { port, reusePort: true, ipv6Only: (flags & IPV6_ONLY) !== 0 }
  own.listen(address === null ? options : { ...options, host: address })
}
