// Text that a store can hold: what people read in it, and the ids that users give.

import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

const MAX_PREVIEW = 200
const OPTIONS = { depth: 2, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 }

/** A value as people read it in a dashboard, cut short: what counts is in the payload. */
export function preview(value: unknown): string {
  try {
    const text = inspect(value, OPTIONS)
    return storable(text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW)}...` : text)
  } catch {
    return '(cannot be shown)' // a getter or a proxy of the user's
  }
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A text of PostgreSQL has no NUL, and no half of a letter, as cutting makes them. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(LONE, '\ufffd')
}

const BEGIN = 'id-'
const MAX_ID = 200
const SHOWN = 100
/** In no other one. */
const DIGESTED = '%.'

/** That of a user as a store takes it: in letters of its own, no longer than an index of PostgreSQL holds, and each another one. */
export function sharedId(id: string): string {
  const whole = BEGIN + id.replace(/[^\w.@-]/gu, (letter) => `%${letter.codePointAt(0)!.toString(16)}.`)
  if (whole.length <= MAX_ID) return whole
  const digest = createHash('sha256').update(whole).digest('base64url')
  return `${whole.slice(0, SHOWN)}${DIGESTED}${digest}`
}

/** As it was given; of a long one, and of one that is nobody's, that of the store. */
export function shownId(known: string): string {
  if (!known.startsWith(BEGIN) || known.includes(DIGESTED)) return known
  return known
    .slice(BEGIN.length)
    .replace(/%([\da-f]{1,6})\./g, (text, code: string) => letterOf(parseInt(code, 16)) ?? text)
}

/** Undefined: nobody of ours has written it. */
function letterOf(code: number): string | undefined {
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined
}

/** Otherwise it is that of another id, or none that a store can hold. */
export function isOfStore(id: string): boolean {
  return storable(id) === id && (!id.startsWith(BEGIN) || id.includes(DIGESTED))
}
