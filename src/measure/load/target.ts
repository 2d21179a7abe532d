// Where the requests go, and the bytes of one: made once, sent many times.

import { isIP } from 'node:net'
import { types } from 'node:util'
import { checkOption } from '../../errors/check-options.js'

export interface TargetOptions {
  readonly method?: string
  readonly headers?: Record<string, string | string[]>
  readonly body?: string | Uint8Array
  readonly socket?: string
  readonly insecure?: boolean
}

export interface Target {
  readonly url: string
  readonly isTls: boolean
  readonly host: string
  readonly port: number
  /** Path of a Unix socket; then host and port are not used to connect. */
  readonly socketPath: string | undefined
  /** The name that the certificate must have; undefined for addresses, which SNI does not allow. */
  readonly servername: string | undefined
  readonly acceptsAnyCertificate: boolean
  readonly method: string
  readonly isHead: boolean
  /** Sent twice it does no more than once: RFC 9110, section 9.2.2. */
  readonly isIdempotent: boolean
  /** A whole request. */
  readonly bytes: Buffer
}

/** RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
/** Visible characters, spaces and tabs of latin1: no line break may sneak a header in. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** They decide where a request ends. */
const FRAMING = ['content-length', 'transfer-encoding', 'expect', 'upgrade']
const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH']

/** @throws TW_ERR_INVALID_OPTION */
export function createTarget(url: string | URL, options: TargetOptions): Target {
  const text = typeof url === 'string' ? withScheme(url) : String(url)
  const parsed = URL.canParse(text) ? new URL(text) : null
  const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
  checkOption(isHttp, 'url', 'an address that starts with http:// or https://', String(url))
  const address = parsed as URL
  const { socket, insecure = false } = options
  const isPath = socket === undefined || (typeof socket === 'string' && socket !== '')
  checkOption(isPath, 'socket', 'the path of a Unix socket', socket)
  checkOption(typeof insecure === 'boolean', 'insecure', 'true or false', insecure)
  const body = checkBody(options.body)
  const { method = body === null ? 'GET' : 'POST' } = options
  const isMethod = typeof method === 'string' && TOKEN.test(method) && !/^connect$/i.test(method)
  checkOption(isMethod, 'method', 'an HTTP method other than CONNECT', method)
  const isTls = address.protocol === 'https:'
  const host = address.hostname.replace(/^\[|\]$/g, '')
  const headers = checkHeaders(options.headers)
  return {
    url: withoutCredentials(address),
    isTls,
    host,
    port: address.port === '' ? (isTls ? 443 : 80) : Number(address.port),
    socketPath: socket,
    servername: servernameOf(host, headers),
    acceptsAnyCertificate: insecure,
    method: method.toUpperCase(),
    isHead: method.toUpperCase() === 'HEAD',
    isIdempotent: IDEMPOTENT.includes(method.toUpperCase()),
    bytes: requestBytes(address, method.toUpperCase(), headers, body),
  }
}

function checkBody(body: unknown): Buffer | null {
  const isBody = body === undefined || typeof body === 'string' || types.isUint8Array(body)
  checkOption(isBody, 'body', 'text or bytes (Uint8Array)', body)
  if (body === undefined) return null
  return typeof body === 'string' ? Buffer.from(body) : Buffer.from(body as Uint8Array)
}

function checkHeaders(headers: unknown): [string, string][] {
  if (headers === undefined) return []
  const isObject = typeof headers === 'object' && headers !== null && !Array.isArray(headers)
  checkOption(isObject, 'headers', 'an object of names and values', headers)
  const entries = Object.entries(headers as Record<string, unknown>).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, unknown] => [name, one]),
  )
  for (const [name, value] of entries) {
    checkOption(TOKEN.test(name), 'headers', 'named with letters, digits and signs such as -', name)
    const isFraming = FRAMING.includes(name.toLowerCase())
    checkOption(!isFraming, 'headers', 'without what follows from the body or changes the protocol', name)
    const isValue = typeof value === 'string' && FIELD_VALUE.test(value)
    checkOption(isValue, `headers[${JSON.stringify(name)}]`, 'text without line breaks, in latin1', value)
  }
  return entries as [string, string][]
}

function requestBytes(
  url: URL,
  method: string,
  headers: readonly [string, string][],
  body: Buffer | null,
): Buffer {
  const isGiven = (name: string) => headers.some(([given]) => given.toLowerCase() === name)
  const lines = [`${method} ${url.pathname}${url.search} HTTP/1.1`]
  if (!isGiven('host')) lines.push(`Host: ${url.host}`)
  if (!isGiven('user-agent')) lines.push('User-Agent: threadwise')
  if (!isGiven('accept')) lines.push('Accept: */*')
  const hasCredentials = url.username !== '' || url.password !== ''
  if (hasCredentials && !isGiven('authorization')) lines.push(`Authorization: ${basic(url)}`)
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (body !== null || METHODS_WITH_BODY.includes(method)) lines.push(`Content-Length: ${body?.length ?? 0}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return body === null ? head : Buffer.concat([head, body])
}

function basic({ username, password }: URL): string {
  const pair = `${decoded(username)}:${decoded(password)}`
  return `Basic ${Buffer.from(pair).toString('base64')}`
}

/** As curl: what is no escape is meant as it stands. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** "localhost:3000/path" is an address of http. */
function withScheme(url: string): string {
  return /^[\w.-]+(?::\d+)?(?:[/?#]|$)/.test(url) || url.startsWith('[') ? `http://${url}` : url
}

/** Results are printed and kept. */
function withoutCredentials(address: URL): string {
  const copy = new URL(address)
  copy.username = ''
  copy.password = ''
  return copy.href
}

/** The name that is asked for, which may not be the one that is connected to. */
function servernameOf(host: string, headers: readonly [string, string][]): string | undefined {
  const given = headers.find(([name]) => name.toLowerCase() === 'host')?.[1]
  const name = given === undefined ? host : given.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return isIP(name) === 0 && name !== '' ? name : undefined
}
