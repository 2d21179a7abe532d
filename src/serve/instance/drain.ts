// Lets the connections of an instance end without a lost request.
//
// A client may send its next request on an open connection at any time, also at the moment at which the server closes it;
// then nobody answers. So a connection is closed only by the answer to a request, which says "Connection: close". Those on
// which no request comes are closed when they were silent for as long as the server would let them be anyway. Sessions of HTTP/2 and
// connections that were upgraded are left to themselves: there silence of the client does not say that it waits for nothing.

import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import cluster from 'node:cluster'
import type { Servers, WatchedServer } from './watch-servers.js'

/** How often it looks whether all is over. */
const LOOK_MS = 20
/** As in Node, for servers that do not say how long a connection may be silent. */
const SILENT_MS = 5000

export interface Drain {
  /** Takes the servers out of rotation. Connections on their way to them are given to another instance. */
  leave(): void
  /** Resolves when no connection is left. */
  run(): Promise<void>
}

export function createDrain(servers: Servers, graceMs: number): Drain {
  let running: Promise<void> | undefined
  const leave = () => {
    for (const { server } of servers.all()) stopListening(server)
  }
  return {
    leave,
    run() {
      leave()
      running ??= drainAll([...servers.all()], graceMs)
      return running
    },
  }
}

/**
 * Only the handle: the server goes on to look as if it listened. server.close(), and with it worker.disconnect(), would
 * close silent connections at once, and a user's own call of it on SIGTERM would fail later.
 */
function stopListening(server: Server): void {
  const { _handle } = server as unknown as { _handle: { close(): void } | null | undefined }
  if (_handle === undefined)
    server.close() // a future Node may call it otherwise; null: it is closed
  else _handle?.close()
}

function drainAll(all: WatchedServer[], graceMs: number): Promise<void> {
  for (const watched of all) drainOne(watched, graceMs)
  return new Promise((resolve) => {
    const look = async () => {
      const counts = await Promise.all(all.map(({ server }) => openConnections(server)))
      if (counts.some((count) => count > 0)) return void setTimeout(() => void look(), LOOK_MS)
      resolve()
    }
    void look()
  })
}

function drainOne(watched: WatchedServer, graceMs: number): void {
  const { server, sockets, sessions } = watched
  for (const session of sessions.keys()) session.close() // HTTP/2 has a goodbye that loses nothing
  const lastAnswer = (_: unknown, response: LastAnswer) => {
    response.shouldKeepAlive = false
  }
  for (const event of ['request', 'checkContinue', 'checkExpectation']) {
    // A listener for the other two would change what the server does.
    if (server.listenerCount(event) > 0) server.prependListener(event, lastAnswer)
  }
  for (const socket of sockets) {
    const response = responseOf(socket)
    if (response && !response.headersSent) response.shouldKeepAlive = false
  }
  closeSilentLater(watched, graceMs)
}

/** Not in the types: what decides between "keep-alive" and "close" when the headers are made. */
type LastAnswer = ServerResponse & { shouldKeepAlive: boolean }

/** The response that this connection waits for. */
function responseOf(socket: Socket): LastAnswer | null {
  return (socket as unknown as { _httpMessage?: LastAnswer | null })._httpMessage ?? null
}

/** Not in the types either: Node takes the parser of HTTP/1 away when it hands the connection to the user's code. */
function isUpgraded(socket: Socket): boolean {
  return (socket as unknown as { parser?: unknown }).parser === null
}

function closeSilentLater({ server, sockets, sessions }: WatchedServer, graceMs: number): void {
  const readBefore = new Map([...sockets].map((socket) => [socket, socket.bytesRead]))
  const { keepAliveTimeout = SILENT_MS } = server as { keepAliveTimeout?: number }
  const allowedMs = keepAliveTimeout > 0 ? keepAliveTimeout : SILENT_MS
  const close = () => {
    const ofSessions = new Set(sessions.values())
    for (const socket of sockets) {
      if (ofSessions.has(socket) || isUpgraded(socket)) continue
      const isSilent = socket.bytesRead === (readBefore.get(socket) ?? 0) && responseOf(socket) === null
      if (isSilent) socket.destroy()
    }
  }
  // What has arrived meanwhile is read between the two, so that it counts.
  const timer = setTimeout(() => setImmediate(() => setImmediate(close)), Math.min(allowedMs, graceMs / 2))
  timer.unref()
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}

// How an instance ends: after its connections did, whoever asks for it and whatever becomes of the primary.

export interface Ending {
  /** The connections are closed, or had their time: SIGTERM may do what it does. */
  allow(): void
}

export function createEnding(drain: Drain, graceMs: number): Ending {
  let isAllowed = false
  let asked: 'default' | 'own handler' | undefined
  const end = () => {
    if (asked === 'default') endBySignal(onTerm)
    // The handler closes all that is open, and with that the process ends, as it does without a primary. Not before
    // SIGTERM: without connections nothing else may keep the process alive, and the handler would never run.
    else process.channel?.unref()
  }
  const onTerm = () => {
    asked ??= process.listenerCount('SIGTERM') > 1 ? 'own handler' : 'default'
    if (isAllowed) end()
    else if (asked === 'default') void drain.run().then(allow)
  }
  const allow = () => {
    isAllowed = true
    if (asked !== undefined) end()
  }
  process.on('SIGTERM', onTerm)
  // Ctrl-C and a terminal that closes reach the whole process group: the primary decides what they mean.
  process.on('SIGINT', ignore)
  process.on('SIGHUP', ignore)
  process.prependOnceListener('disconnect', () => {
    // Keeps node:cluster from ending this process at once.
    cluster.worker!.exitedAfterDisconnect = true
    endWithoutPrimary(drain, graceMs)
  })
  return { allow }
}

function ignore(): void {}

/** Nobody is left to count the time. The second limit is for a SIGTERM handler that does not come to an end. */
function endWithoutPrimary(drain: Drain, graceMs: number): void {
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), graceMs)
    if (process.listenerCount('SIGTERM') > 1) process.kill(process.pid, 'SIGTERM')
    else process.exit(0)
  }
  setTimeout(end, graceMs)
  void drain.run().then(end)
}

/** As if there had been no handler. */
function endBySignal(handler: () => void): void {
  process.off('SIGTERM', handler)
  process.kill(process.pid, 'SIGTERM')
}
