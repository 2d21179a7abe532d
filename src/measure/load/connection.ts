// One connection that is opened when a request needs it, and opened again after it was closed.

import { LONGEST_TIMER_MS } from '../../primitives/timers.js'
import { connect as connectPlain, type NetConnectOpts, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { FailureKind } from '../results/load-result.js'
import { MalformedResponse, ResponseParser } from './response-parser.js'
import type { Target } from './target.js'

/** A request on its way. Times are in milliseconds from the start of the run. */
export interface Ticket {
  /** When it was due; decides whether it counts. */
  readonly due: number
  /** From when its latency counts. */
  readonly from: number
  /** When it was given to its connection: what waited long for one may still take its time to be answered. */
  readonly sent: number
}

/** How a request ended: the status of its answer, or why there is none. */
export type RequestOutcome = number | FailureKind

export interface ConnectionEvents {
  /** May send the next request on the same connection. */
  onOutcome(connection: LoadConnection, ticket: Ticket, outcome: RequestOutcome, message?: string): void
  onSent(): void
  /** So many are sent again, on a new connection. */
  onResent(count: number): void
}

/** Larger reads need fewer calls; each connection holds one such buffer. */
const READ_BYTES = 32 * 1024

export class LoadConnection {
  readonly #target: Target
  readonly #events: ConnectionEvents
  readonly #readBuffer = Buffer.allocUnsafe(READ_BYTES)
  #socket: Socket | null = null
  #parser: ResponseParser | null = null
  #isConnected = false
  /** The server does not read any more, and may still have answered. */
  #isBroken = false
  /** It has answered a request, and may go on. */
  #hasAnswered = false
  /** Requests that were sent before the bytes that are being read came. */
  #answerable = 0
  readonly #timeoutMs: number
  #inFlight: Ticket[] = []

  constructor(target: Target, events: ConnectionEvents, timeoutMs: number) {
    this.#target = target
    this.#events = events
    this.#timeoutMs = timeoutMs
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** The requests without an answer, the oldest first. */
  get inFlight(): readonly Ticket[] {
    return this.#inFlight
  }

  send(ticket: Ticket): void {
    this.#inFlight.push(ticket)
    if (this.#socket === null) this.#connect()
    else if (this.#isConnected) this.#write(this.#socket)
  }

  /** Gives up what was sent more than `timeoutMs` ago. What was pipelined behind it would never be answered in time either. */
  sweep(now: number, timeoutMs: number): void {
    const oldest = this.#inFlight[0]
    if (oldest === undefined || oldest.sent + timeoutMs > now) return
    const wasConnected = this.#isConnected
    this.#drop()
    this.#failAll('timeout', wasConnected ? 'no whole answer in time' : 'no connection in time')
  }

  /** Closes without reporting anything. */
  close(): void {
    this.#drop()
    this.#inFlight = []
  }

  #connect(): void {
    const onRead = (length: number, buffer: Uint8Array): boolean => {
      if (this.#socket === socket) this.#read(buffer as Buffer, length)
      return true
    }
    const { isTls, host, port, socketPath, servername, acceptsAnyCertificate } = this.#target
    const place = socketPath === undefined ? { host, port } : { path: socketPath }
    const options = {
      ...place,
      noDelay: true,
      onread: { buffer: this.#readBuffer, callback: onRead },
      // By default Node gives up an address after 250 ms. It takes whole numbers.
      autoSelectFamilyAttemptTimeout: Math.min(Math.ceil(this.#timeoutMs), LONGEST_TIMER_MS),
    }
    const socket: Socket = isTls
      ? connectTls({ ...options, servername, rejectUnauthorized: !acceptsAnyCertificate })
      : connectPlain(options as NetConnectOpts)
    let message = 'the server closed the connection before its answer was whole'
    this.#socket = socket
    this.#isBroken = false
    this.#hasAnswered = false
    readBeforeBreak(socket, () => (this.#isBroken = true))
    this.#parser = new ResponseParser(this.#target.isHead, (status, keepAlive) => {
      this.#answered(status, keepAlive)
    })
    socket.once(isTls ? 'secureConnect' : 'connect', () => this.#connected(socket))
    socket.on('error', (error) => (message = describe(error)))
    socket.once('end', () => {
      if (this.#socket === socket) this.#parser?.end()
    })
    socket.once('close', () => {
      if (this.#socket !== socket) return
      if (this.#isClosedBetween()) return this.#resend()
      const kind = this.#isConnected ? 'reset' : 'connect'
      this.#drop()
      this.#failAll(kind, message)
    })
  }

  #connected(socket: Socket): void {
    if (this.#socket !== socket) return
    this.#isConnected = true
    for (let i = 0; i < this.#inFlight.length; i++) this.#write(socket)
  }

  #write(socket: Socket): void {
    socket.write(this.#target.bytes)
    this.#events.onSent()
  }

  #read(buffer: Buffer, length: number): void {
    // Nobody asked: the goodbye of a server that closes idle connections, such as status 408.
    if (this.#inFlight.length === 0) return this.#drop()
    this.#answerable = this.#inFlight.length
    try {
      this.#parser?.feed(buffer.subarray(0, length))
    } catch (error) {
      this.#drop()
      this.#failAll('protocol', (error as Error).message)
    }
  }

  #answered(status: number, keepAlive: boolean): void {
    if (--this.#answerable < 0) throw new MalformedResponse('an answer to a request that was not sent')
    const ticket = this.#inFlight.shift()
    if (ticket === undefined) return this.#drop()
    this.#hasAnswered = true
    if (!keepAlive || this.#isBroken) {
      this.#drop()
      // RFC 9112, section 9.6: the server has not worked on what was sent after the request that it closes on.
      if (this.#inFlight.length > 0) this.#connect()
    }
    this.#events.onOutcome(this, ticket, status)
  }

  /**
   * After an answer and before any byte of the next one: the server had no word for it, and has perhaps seen none of what was sent since.
   * RFC 9112, section 9.3.1: what is idempotent may be sent again. Each connection has given an answer, so that has an end.
   */
  #isClosedBetween(): boolean {
    const isBetween = this.#hasAnswered && this.#parser?.isBetween === true
    return isBetween && this.#inFlight.length > 0 && this.#target.isIdempotent
  }

  #resend(): void {
    this.#drop()
    this.#events.onResent(this.#inFlight.length)
    this.#connect()
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = null
    this.#parser = null
    this.#isConnected = false
    socket?.destroy()
  }

  #failAll(kind: FailureKind, message: string): void {
    const failed = this.#inFlight
    this.#inFlight = []
    for (const ticket of failed) this.#events.onOutcome(this, ticket, kind, message)
  }
}

/**
 * A server may answer before it has read the whole request (413, 401), and close: then a write fails while its answer waits to be read. So a
 * socket whose write has failed is read once more before it is closed.
 */
function readBeforeBreak(socket: Socket, onBreak: () => void): void {
  const destroy = socket.destroy.bind(socket)
  socket.destroy = (error?: Error & { syscall?: string }) => {
    if (error?.syscall !== 'write') return destroy(error)
    onBreak()
    setImmediate(() => setImmediate(() => destroy(error)))
    return socket
  }
}

/** When all addresses of a name fail, the message of the whole is empty: nodejs/node#48145. */
function describe(error: Error): string {
  const causes = (error as { errors?: Error[] }).errors
  return error.message || causes?.map(({ message }) => message).join('; ') || String(error)
}
