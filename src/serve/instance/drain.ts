// Lets the connections of an instance end without a lost request.
//
// A client may send its next request on an open connection at any time, also at the moment at which the server closes it;
// then nobody answers. So a connection is closed only by the answer to a request, which says "Connection: close". Those on
// which no request comes are closed when they were silent for the keepAliveTimeout of the server. Sessions of HTTP/2 and connections that
// were upgraded stay open: a silent client may be waiting there. The app is told, and may close them: end-after-drain.ts.

import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Servers, WatchedServer } from './watch-servers.js'

/** How often it looks whether connections are left. */
const LOOK_MS = 20
/** For servers without a keepAliveTimeout: the default of Node. */
const SILENT_MS = 5000

export interface Drain {
  /** Takes the servers out of rotation. Connections in flight to them go to another instance. */
  leave(): void
  /** Resolves when no connection is left. */
  run(): Promise<void>
  /** Resolves when no busy client is left on HTTP/1.1: each has got an answer that says "Connection: close". Soon in any case. */
  calm(): Promise<void>
}

/**
 * Many frameworks refuse requests from the moment at which they are told to stop (Fastify: 503). A client under load sends its next one
 * within this time, and gets a good answer.
 */
const CALM_MS = 300

export function createDrain(servers: Servers, graceMs: number): Drain {
  let running: Promise<void> | undefined
  const leave = () => {
    for (const { server } of servers.all()) {
      stopListening(server)
      keepSilent(server)
    }
  }
  return {
    leave,
    async calm() {
      const end = performance.now() + Math.min(CALM_MS, graceMs / 2)
      const isBusy = () => [...servers.all()].some(({ sockets }) => [...sockets].some(speaksHttp))
      while (isBusy() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    },
    run() {
      leave()
      running ??= drainAll([...servers.all()], graceMs)
      return running
    },
  }
}

/**
 * Closes only the handle: the server still seems to listen. server.close(), which worker.disconnect() calls too, would close silent
 * connections at once, and a call of it by the user's code on SIGTERM would fail later.
 */
function stopListening(server: Server): void {
  const { _handle } = server as unknown as { _handle: { close(): void } | null | undefined }
  if (_handle === undefined)
    server.close() // a future Node may name it otherwise; null: it is closed
  else _handle?.close()
}

/** server.close() of the app closes silent connections at once, since Node 19: a request may be on its way there. */
function keepSilent(server: Server): void {
  if ('closeIdleConnections' in server) Object.assign(server, { closeIdleConnections: () => {} })
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
  for (const session of sessions.keys()) session.close() // GOAWAY of HTTP/2 loses no request
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

/** The response that is due on this connection. */
function responseOf(socket: Socket): LastAnswer | null {
  return (socket as unknown as { _httpMessage?: LastAnswer | null })._httpMessage ?? null
}

/** Not in the types either: Node removes the parser of HTTP/1 when it passes the connection to the user's code. */
function isUpgraded(socket: Socket): boolean {
  return (socket as unknown as { parser?: unknown }).parser === null
}

function speaksHttp(socket: Socket): boolean {
  return Boolean((socket as unknown as { parser?: unknown }).parser)
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
  // Data that has arrived meanwhile is read between the two, so that it counts.
  const timer = setTimeout(() => setImmediate(() => setImmediate(close)), Math.min(allowedMs, graceMs / 2))
  timer.unref()
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
