// Ids of users as a store takes them: in letters of its own, no longer than an index of PostgreSQL holds, and each another one.

import { createHash } from 'node:crypto'
import { storable } from './preview.js'

const BEGIN = 'id-'
const MAX_LENGTH = 200
const SHOWN = 100
/** In no other one. */
const DIGESTED = '%.'

export function sharedId(id: string): string {
  const whole = BEGIN + id.replace(/[^\w.@-]/gu, (letter) => `%${letter.codePointAt(0)!.toString(16)}.`)
  if (whole.length <= MAX_LENGTH) return whole
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
