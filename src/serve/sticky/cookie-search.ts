// Looks for a cookie in the first bytes of a connection, as they come, and keeps them all.

/** As much as Node takes of a head by default. */
const MAX_BYTES = 16 * 1024
const FIRST_BYTES = 1024
/** RFC 6265 takes a name to be a token of HTTP. */
const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const REQUEST_LINE = new RegExp(`^${TOKEN} \\S+ HTTP/1\\.[01]$`)
const LINE_END = 0x0a

/** The cookie; undefined while more bytes are needed, null when there is none. */
export type FoundCookie = string | null | undefined

export interface CookieSearch {
  /** Not to be called again after it has given a cookie or null. */
  add(bytes: Uint8Array): FoundCookie
  /** All that was added. */
  bytes(): Buffer
}

export function isCookieName(name: string): boolean {
  return new RegExp(`^${TOKEN}$`).test(name)
}

export function createCookieSearch(name: string): CookieSearch {
  // One buffer that grows: a head that comes byte by byte would cost an object for each.
  let kept: Buffer = Buffer.alloc(0)
  let size = 0
  let lineStart = 0
  let isFirstLine = true
  const findInLine = (line: string): FoundCookie => {
    if (!isFirstLine) return line === '' ? null : cookieInLine(line, name)
    isFirstLine = false
    return REQUEST_LINE.test(line) ? undefined : null
  }
  return {
    add(bytes) {
      const looked = size
      kept = append(kept, size, bytes)
      size += bytes.length
      // TLS, or the binary PROXY protocol: the end of a line may never come.
      if (!isLetter(kept[0]!)) return null
      let end = kept.subarray(0, size).indexOf(LINE_END, looked)
      while (end !== -1 && end < MAX_BYTES) {
        const found = findInLine(kept.toString('latin1', lineStart, end).replace(/\r$/, ''))
        if (found !== undefined) return found
        lineStart = end + 1
        end = kept.subarray(0, size).indexOf(LINE_END, lineStart)
      }
      return size >= MAX_BYTES ? null : undefined
    },
    bytes: () => kept.subarray(0, size),
  }
}

function append(kept: Buffer, size: number, bytes: Uint8Array): Buffer {
  const needed = size + bytes.length
  let room = kept
  if (needed > kept.length) {
    room = Buffer.alloc(Math.max(needed, kept.length * 2, FIRST_BYTES))
    kept.copy(room, 0, 0, size)
  }
  room.set(bytes, size)
  return room
}

function isLetter(byte: number): boolean {
  return (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
}

/** The first cookie of the name counts, unless it is empty: many servers set an empty one at a logout. */
function cookieInLine(line: string, name: string): string | undefined {
  const header = /^cookie:(.*)$/i.exec(line)
  for (const pair of header?.[1]!.split(';') ?? []) {
    const at = pair.indexOf('=')
    if (at === -1 || pair.slice(0, at).trim() !== name) continue
    const value = pair.slice(at + 1).trim()
    if (value !== '') return value
  }
  return undefined
}
