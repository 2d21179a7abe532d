// Reads the first bytes of connections in the primary, for the cookie that chooses the instance. The bytes travel with the connection,
// and the instance replays them.

import { createCookieSearch } from './cookie-search.js'

/** Longer than browsers keep a connection that they have opened in advance (10 s in Chrome). */
const WAIT_MS = 15_000
/** Each holds up to 16 KB, and the rest of the chunk in which they end. */
const MAX_WAITING = 4096

/** The handle of a connection, as node:cluster passes it to an instance. */
export interface ConnectionHandle {
  close(): void
  /** Not on Unix sockets. */
  getpeername?(out: { address?: string }): number
  /** These are what node:net uses; a future Node may name them otherwise. */
  readStart?(): number
  readStop?(): number
  readonly bytesRead?: number
  /** Called without data at the end, and at an error. */
  onread?: (data?: ArrayBuffer) => void
}

export interface ReadAhead {
  /** Whether its first bytes have to be read: not twice, and not after stop(). */
  wants(connection: ConnectionHandle): boolean
  /** Calls `done` when it is known whether there is a cookie; no byte is read from then on. */
  read(connection: ConnectionHandle, done: () => void): void
  /** Undefined when there is no cookie, or none came in time. */
  cookieOf(connection: ConnectionHandle): string | undefined
  /** The bytes that were read, in base64. */
  bytesOf(connection: ConnectionHandle): string | undefined
  /** The service ends, and no instance will be there later: connections that wait go on without a cookie. */
  stop(): void
}

interface Seen {
  readonly cookie: string | undefined
  readonly bytes: string | undefined
}

export function createReadAhead(
  cookieName: string,
  { waitMs = WAIT_MS, maxWaiting = MAX_WAITING } = {},
): ReadAhead {
  const seen = new WeakMap<ConnectionHandle, Seen>()
  /** A function for each connection that ends its wait; the longest wait comes first. */
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    wants: (connection) => !isStopped && !seen.has(connection) && canBeRead(connection),
    read(connection, done) {
      if (waiting.size >= maxWaiting) waiting.values().next().value?.()
      const giveUp = readUntilFound(connection, { cookieName, waitMs }, (found) => {
        waiting.delete(giveUp)
        seen.set(connection, found)
        done()
      })
      waiting.add(giveUp)
    },
    cookieOf: (connection) => seen.get(connection)?.cookie,
    bytesOf: (connection) => seen.get(connection)?.bytes,
    stop() {
      isStopped = true
      for (const giveUp of [...waiting]) giveUp()
    },
  }
}

/** What node:net uses, and Node does not document: where a version has it no more, connections go in turn. */
function canBeRead(connection: ConnectionHandle): boolean {
  const isReader = typeof connection.readStart === 'function' && typeof connection.readStop === 'function'
  return isReader && typeof connection.bytesRead === 'number'
}

/** Returns a function that ends it early. */
function readUntilFound(
  connection: ConnectionHandle,
  { cookieName, waitMs }: { cookieName: string; waitMs: number },
  done: (seen: Seen) => void,
): () => void {
  const search = createCookieSearch(cookieName)
  let isDone = false
  const finish = (cookie?: string) => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    // From here on the kernel keeps what comes, also if libuv was about to read more; so the instance will read it.
    connection.readStop!()
    connection.onread = () => {}
    const bytes = search.bytes()
    done({ cookie, bytes: bytes.length === 0 ? undefined : bytes.toString('base64') })
  }
  const giveUp = () => finish()
  const timer = setTimeout(giveUp, waitMs).unref()
  let before = connection.bytesRead!
  connection.onread = (data) => {
    // The end of what the client sends, or an error: the instance meets the same when it reads.
    if (data === undefined) return finish()
    const size = connection.bytesRead! - before
    before += size
    const found = search.add(new Uint8Array(data, 0, size))
    if (found !== undefined) finish(found ?? undefined)
  }
  // An error is for the instance to meet. Not at once: the caller has not stored `giveUp` yet.
  if (connection.readStart!() !== 0) setImmediate(giveUp)
  return giveUp
}
