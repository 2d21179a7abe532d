// Lets the connections of an instance end without a lost request.
//
// A client may send its next request on an open connection at any time, also at the moment at which the server closes it;
// then nobody answers. So a connection is closed only by the answer to a request, which says "Connection: close". Those on
// which no request comes are closed when they were silent for the keepAliveTimeout of the server. Sessions of HTTP/2 and connections that
// were upgraded stay open: a silent client may be waiting there. The app is told, and may close them: end-after-drain.ts.
//
//   a connection      from the begin of the drain                                           the app is told
//   idle, HTTP/1      its next answer says "close"; or it is closed after a silence          after that
//   being answered    the answer says "close", or, where its head was sent, the end follows    meanwhile
//   HTTP/2            its next answer comes with a GOAWAY: drain-sessions.ts                after that
//   upgraded          stays                                                                  meanwhile
//
// Many frameworks refuse requests from the moment at which they are told to stop (Fastify: 503). So no connection may be left by then on which
// a client could still send one.

import type { ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { drainSessions, type SessionDrain } from './drain-sessions.js'
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
  /** Begins that too; resolves when no client can send one more request on a connection that it has. */
  calm(): Promise<void>
}

export function createDrain(servers: Servers, graceMs: number): Drain {
  let running: Promise<void> | undefined
  let drained: SessionDrain[] = []
  const leave = () => {
    for (const { server } of servers.all()) {
      stopListening(server)
      keepSilent(server)
    }
  }
  const run = () => {
    leave()
    if (running) return running
    const all = [...servers.all()]
    drained = all.map((watched) => drainOne(watched, graceMs))
    return (running = untilClosed(all))
  }
  const calm = async () => {
    void run()
    const begin = performance.now()
    const mayAsk = ({ sockets }: WatchedServer) => {
      const isShort = performance.now() - begin < Math.min(ANSWER_MS, graceMs / 4)
      return [...sockets].some((socket) => isIdle(socket) || (isShort && goesOn(socket)))
    }
    const mayOpen = (sessions: SessionDrain) => sessions.mayAsk()
    // Silent ones are closed after half of the grace at the latest: closeSilentLater().
    while ([...servers.all()].some(mayAsk) || drained.some(mayOpen)) await delay(LOOK_MS)
    for (const { sockets } of servers.all()) for (const socket of sockets) endAfterAnswer(socket)
  }
  return { leave, calm, run }
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

function untilClosed(all: WatchedServer[]): Promise<void> {
  return new Promise((resolve) => {
    const look = async () => {
      const counts = await Promise.all(all.map(({ server }) => openConnections(server)))
      if (counts.some((count) => count > 0)) return void setTimeout(() => void look(), LOOK_MS)
      resolve()
    }
    void look()
  })
}

function drainOne(watched: WatchedServer, graceMs: number): SessionDrain {
  const { server, sockets, sessions } = watched
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
  const silentMs = silenceOf(server, graceMs)
  closeSilentLater(watched, silentMs)
  return drainSessions(sessions.keys(), { silentMs, graceMs })
}

/** How long a client may be silent before it is closed: as long as the server would let it, and not for all of the grace. */
function silenceOf(server: Server, graceMs: number): number {
  const { keepAliveTimeout = SILENT_MS } = server as { keepAliveTimeout?: number }
  return Math.min(keepAliveTimeout > 0 ? keepAliveTimeout : SILENT_MS, graceMs / 2)
}

/** The answer that is under way has said that the connection goes on: its head was sent before the drain. */
function goesOn(socket: Socket): boolean {
  const response = responseOf(socket)
  return response?.headersSent === true && !response._last
}

/** One that takes long, such as a stream of events. */
function endAfterAnswer(socket: Socket): void {
  if (goesOn(socket)) responseOf(socket)!._last = true
}

/** Not in the types: what decides between "keep-alive" and "close" when the headers are made. */
type LastAnswer = ServerResponse & { shouldKeepAlive: boolean; _last: boolean }

/** The response that is due on this connection. */
function responseOf(socket: Socket): LastAnswer | null {
  return (socket as unknown as { _httpMessage?: LastAnswer | null })._httpMessage ?? null
}

/** Not in the types either: Node removes the parser of HTTP/1 when it passes the connection to the user's code. */
function isUpgraded(socket: Socket): boolean {
  return (socket as unknown as { parser?: unknown }).parser === null
}

/** It speaks HTTP/1, and no answer is due on it. */
function isIdle(socket: Socket): boolean {
  return Boolean((socket as unknown as { parser?: unknown }).parser) && responseOf(socket) === null
}

/** In which an answer that is under way ends, unless it takes long. */
const ANSWER_MS = 1000

function closeSilentLater({ sockets, sessions }: WatchedServer, silentMs: number): void {
  const readBefore = new Map([...sockets].map((socket) => [socket, socket.bytesRead]))
  const close = () => {
    const ofSessions = new Set(sessions.values())
    for (const socket of sockets) {
      if (ofSessions.has(socket) || isUpgraded(socket)) continue
      const isSilent = socket.bytesRead === (readBefore.get(socket) ?? 0) && responseOf(socket) === null
      if (isSilent) socket.destroy()
    }
  }
  // Data that has arrived meanwhile is read between the two, so that it counts.
  const timer = setTimeout(() => setImmediate(() => setImmediate(close)), silentMs)
  timer.unref()
}

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
