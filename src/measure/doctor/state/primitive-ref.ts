// Values without parts, as texts that are equal where the values are.

import { createHash } from 'node:crypto'

const MAX_TEXT = 40

export function primitiveRef(value: unknown): string {
  if (typeof value === 'string')
    return value.length <= MAX_TEXT ? `'${value}'` : `'${digest(value)}' of ${value.length}`
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value === 'symbol') return String(value)
  return Object.is(value, -0) ? '-0' : String(value)
}

export function digest(text: string): string {
  return createHash('sha1').update(text).digest('base64').slice(0, 16)
}

export function digestBytes(bytes: Uint8Array): string {
  return `${createHash('sha1').update(bytes).digest('base64').slice(0, 16)} of ${bytes.length}`
}
