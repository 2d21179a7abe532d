// Reads the first bytes of connections in the primary, for the cookie that chooses the instance. What was read travels with the connection.

import { createCookieSearch } from './cookie-search.js'

/** Longer than browsers keep a connection that they have opened in advance (10 s in Chrome). */
const WAIT_MS = 15_000
/** At most: each holds up to 16 KB, and what came in one piece with their end. */
const MOST_WAITING = 4096

/** What node:cluster hands over: the inside of a socket. */
export interface Connection {
  close(): void
  /** Not on Unix sockets. */
  getpeername?(out: { address?: string }): number
  /** The rest as node:net uses it; a future Node may call it otherwise. */
  readStart?(): number
  readStop?(): number
  readonly bytesRead?: number
  /** Called without data at the end, and at an error. */
  onread?: (data?: ArrayBuffer) => void
}

export interface ReadAhead {
  /** False for one that was read already, and for all after stop(). */
  wants(connection: Connection): boolean
  /** Calls `done` when it is known whether there is a cookie; no byte is read from then on. */
  read(connection: Connection, done: () => void): void
  /** Undefined when it has none, or it did not come in time. */
  cookieOf(connection: Connection): string | undefined
  /** What was taken from the connection, in base64. */
  bytesOf(connection: Connection): string | undefined
  /** No instance will be there later: lets those that wait go on as they are. */
  stop(): void
}

interface Seen {
  readonly cookie: string | undefined
  readonly bytes: string | undefined
}

export function createReadAhead(
  cookieName: string,
  { waitMs = WAIT_MS, mostWaiting = MOST_WAITING } = {},
): ReadAhead {
  const seen = new WeakMap<Connection, Seen>()
  /** What ends the wait of each, the longest wait first. */
  const waiting = new Set<() => void>()
  let isStopped = false
  return {
    wants: (connection) => !isStopped && !seen.has(connection) && typeof connection.bytesRead === 'number',
    read(connection, done) {
      if (waiting.size >= mostWaiting) waiting.values().next().value?.()
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

/** Returns what ends it before. */
function readUntilFound(
  connection: Connection,
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
  // One that cannot be read any more is for the instance to meet. Not at once: the caller does not know it yet.
  if (connection.readStart!() !== 0) setImmediate(giveUp)
  return giveUp
}
