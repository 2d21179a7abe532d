// Reads HTTP/1.1 responses from bytes that may be cut anywhere, and says when one is whole. Bodies are skipped, not kept.

/** A head, a line of chunk sizes, or trailers that are longer than this are not waited for. */
const MAX_HEAD_BYTES = 64 * 1024
/** RFC 9112, section 2.2: a line may end without a CR, and some servers write it so. */
const LF = 10
const CR = 13
const VERSION = 'HTTP/1.'
const NEEDS_MORE = -1

type State = 'head' | 'body' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'trailer' | 'until-close' | 'over'

/** What arrived is not an HTTP/1.1 response. */
export class MalformedResponse extends Error {}

interface Head {
  status: number
  keepAlive: boolean
  isChunked: boolean
  /** null when nothing tells the length. */
  length: number | null
}

/**
 * One parser serves one connection. `onResponse` is called when the last byte of a response has arrived; after one that
 * closes the connection everything that follows is ignored.
 *
 * @throws MalformedResponse from `feed`, when the bytes are not HTTP
 */
export class ResponseParser {
  readonly #isHead: boolean
  readonly #onResponse: (status: number, keepAlive: boolean) => void
  #state: State = 'head'
  /** Bytes of a head or line whose end has not arrived; copied, since the buffer of a read is used again. */
  #held: Buffer | null = null
  #status = 0
  #keepAlive = true
  #remaining = 0
  #trailerBytes = 0

  /** @param isHead the responses are to HEAD requests: without a body, whatever they say */
  constructor(isHead: boolean, onResponse: (status: number, keepAlive: boolean) => void) {
    this.#isHead = isHead
    this.#onResponse = onResponse
  }

  /** No byte of the next response has arrived. */
  get isBetween(): boolean {
    return this.#state === 'head' && this.#held === null
  }

  feed(chunk: Buffer): void {
    let data = chunk
    if (this.#held !== null) {
      data = Buffer.concat([this.#held, chunk])
      this.#held = null
    }
    let at = 0
    while (at < data.length && this.#state !== 'over') {
      const next = this.#step(data, at)
      if (next === NEEDS_MORE) {
        this.#held = Buffer.from(data.subarray(at))
        return
      }
      at = next
    }
  }

  /** The connection ended: that is the end of a body without a length. */
  end(): void {
    if (this.#state === 'until-close') this.#finish()
  }

  /** Where to go on, or NEEDS_MORE. */
  #step(data: Buffer, at: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(data, at)
      case 'body':
      case 'chunk-data':
        return this.#skip(data, at)
      case 'chunk-size':
        return this.#readLine(data, at, (line) => this.#startChunk(line))
      case 'chunk-end':
        return this.#readLine(data, at, (line) => {
          if (line !== '') throw new MalformedResponse('a chunk is longer than it says')
          this.#state = 'chunk-size'
        })
      case 'trailer':
        return this.#readLine(data, at, (line) => this.#readTrailer(line))
      default:
        return data.length
    }
  }

  #readHead(data: Buffer, start: number): number {
    // Some servers write an empty line after a body.
    let at = start
    while (data[at] === CR || data[at] === LF) at++
    if (at > start) return at
    const end = endOfHead(data, at)
    if (end === -1) {
      const first = data.toString('latin1', at, Math.min(data.length, at + VERSION.length))
      if (!VERSION.startsWith(first)) throw new MalformedResponse('the answer does not start with HTTP/1.')
      return needMore(data.length - at)
    }
    const head = parseHead(data.toString('latin1', at, end))
    if (head.status >= 200) this.#startBody(head)
    else if (head.status === 101) throw new MalformedResponse('status 101 without having been asked for')
    return end
  }

  #startBody({ status, keepAlive, isChunked, length }: Head): void {
    this.#status = status
    this.#keepAlive = keepAlive
    if (this.#isHead || status === 204 || status === 304) this.#finish()
    else if (isChunked) this.#state = 'chunk-size'
    else if (length === null) this.#state = 'until-close'
    else if (length === 0) this.#finish()
    else {
      this.#state = 'body'
      this.#remaining = length
    }
    if (this.#state === 'until-close') this.#keepAlive = false
  }

  #skip(data: Buffer, at: number): number {
    const taken = Math.min(this.#remaining, data.length - at)
    this.#remaining -= taken
    if (this.#remaining === 0) {
      if (this.#state === 'body') this.#finish()
      else this.#state = 'chunk-end'
    }
    return at + taken
  }

  #readLine(data: Buffer, at: number, take: (line: string) => void): number {
    const end = data.indexOf(LF, at)
    if (end === -1) return needMore(data.length - at)
    take(data.toString('latin1', at, data[end - 1] === CR && end > at ? end - 1 : end))
    return end + 1
  }

  #startChunk(line: string): void {
    const size = /^([0-9a-f]{1,13})[ \t]*(?:;|$)/i.exec(line)?.[1]
    if (size === undefined) throw new MalformedResponse('a chunk without a size')
    this.#remaining = parseInt(size, 16)
    this.#trailerBytes = 0
    this.#state = this.#remaining === 0 ? 'trailer' : 'chunk-data'
  }

  #readTrailer(line: string): void {
    this.#trailerBytes += line.length
    if (line === '') this.#finish()
    else needMore(this.#trailerBytes)
  }

  #finish(): void {
    // Before the callback, which may end the connection.
    this.#state = this.#keepAlive ? 'head' : 'over'
    this.#onResponse(this.#status, this.#keepAlive)
  }
}

/** After the empty line; -1 when it has not come yet. */
function endOfHead(data: Buffer, at: number): number {
  for (
    let line = at, end = data.indexOf(LF, line);
    end !== -1;
    line = end + 1, end = data.indexOf(LF, line)
  ) {
    if (end === line || (end === line + 1 && data[line] === CR)) return end + 1
  }
  return -1
}

function needMore(waitingBytes: number): typeof NEEDS_MORE {
  if (waitingBytes > MAX_HEAD_BYTES) throw new MalformedResponse(`a head longer than ${MAX_HEAD_BYTES} bytes`)
  return NEEDS_MORE
}

/** Only the headers that say where the response ends. RFC 9112, section 6.3. */
function parseHead(text: string): Head {
  const [, minor, code] = /^HTTP\/1\.([01]) ([1-9]\d\d)(?:\s|$)/.exec(text) ?? []
  if (minor === undefined) throw new MalformedResponse('a status line that is not HTTP/1.1')
  const head: Head = { status: Number(code), keepAlive: minor === '1', isChunked: false, length: null }
  let isCoded = false
  let start = text.indexOf('\n')
  while (start !== -1) {
    const end = text.indexOf('\n', start + 1)
    // "c" or "t": all that matters here begins with one of them.
    const letter = text.charCodeAt(start + 1) | 0x20
    if (letter === 0x63 || letter === 0x74) {
      const line = text.slice(start + 1, end === -1 ? undefined : end)
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).trim().toLowerCase()
      isCoded = readHeader(head, name, line.slice(colon + 1).trim()) || isCoded
    }
    start = end
  }
  // A transfer coding overrides a length; one that is not "chunked" ends with the connection.
  if (isCoded) head.length = null
  return head
}

/** True for a transfer coding. */
function readHeader(head: Head, name: string, value: string): boolean {
  if (name === 'content-length') {
    const [text = '', ...others] = value.split(/\s*,\s*/) // one length, said more than once: RFC 9112, 6.3
    const length = /^\d{1,15}$/.test(text) && others.every((other) => other === text) ? Number(text) : NaN
    const isSame = head.length === null || head.length === length
    if (Number.isNaN(length) || !isSame) throw new MalformedResponse(`a Content-Length of ${value}`)
    head.length = length
  } else if (name === 'connection') {
    const words = value.toLowerCase()
    if (/\bclose\b/.test(words)) head.keepAlive = false
    else if (/\bkeep-alive\b/.test(words)) head.keepAlive = true
  } else if (name === 'transfer-encoding') {
    head.isChunked = /(?:^|,)\s*chunked$/i.test(value)
    return true
  }
  return false
}
