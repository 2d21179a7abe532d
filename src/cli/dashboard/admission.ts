// Who may ask the dashboard, and who may change something.
//
//   the address      http://127.0.0.1:PORT/TOKEN/...   or the header Authorization: Bearer TOKEN, for scrapers
//   Host             a name of loopback: a page of another origin that has its own name lead here (DNS rebinding) sends that name
//   Origin           none, or this one: a page of another origin is refused, whatever it has found out
//   a change         also a token that only the page holds, and a permit that is good once (permits.ts)
//
// No cookie is set: all ports of a host share those.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

export interface Admitted {
  /** What follows the token in the address, such as "stream". */
  readonly path: string
  readonly query: URLSearchParams
}

export interface RequestAdmission {
  readonly token: string
  /** The second token; null: nothing can be changed. */
  readonly pageToken: string | null
  /** The status code and the reason where it is refused. */
  admit(request: IncomingMessage): Admitted | RefusedRequest
  mayChange(request: IncomingMessage): boolean
}

export interface RefusedRequest {
  readonly code: number
  readonly reason: string
}

const PAGE_HEADER = 'x-threadwise-page'

export function createAdmission(token: string, isReadOnly: boolean): RequestAdmission {
  const pageToken = isReadOnly ? null : newToken()
  return {
    token,
    pageToken,
    admit(request) {
      if (!isLoopback(request.headers.host))
        return { code: 421, reason: 'The dashboard answers to names of loopback only.' }
      if (!isOwnOrigin(request)) return { code: 403, reason: 'The dashboard answers to its own pages only.' }
      return (
        find(request, token) ?? {
          code: 404,
          reason: 'Not found. The address has to hold the token that the dashboard has printed.',
        }
      )
    },
    mayChange(request) {
      const given = request.headers[PAGE_HEADER]
      // Browsers send it with each POST. What is no browser has to say it too.
      return (
        pageToken !== null && request.headers.origin !== undefined && isSame(String(given ?? ''), pageToken)
      )
    },
  }
}

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

function find(request: IncomingMessage, token: string): Admitted | undefined {
  const [whole = '', query = ''] = (request.url ?? '').split('?', 2)
  const [, bearer = ''] = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [, given = '', path] = /^\/([^/]*)(?:\/(.*))?$/.exec(whole) ?? []
  const found = { query: new URLSearchParams(query) }
  if (isSame(given, token) && path !== undefined) return { path, ...found }
  return isSame(bearer, token) ? { path: whole.slice(1), ...found } : undefined
}

/** By hashes, which have one length: how long a comparison takes says nothing. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** Any port: a tunnel (ssh -L) has its own. */
function isLoopback(host = ''): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i.test(host)
}

function isOwnOrigin({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'] ?? 'none'
  if (!['none', 'same-origin'].includes(String(site))) return false
  return (
    headers.origin === undefined || headers.origin.toLowerCase() === `http://${headers.host}`.toLowerCase()
  )
}
