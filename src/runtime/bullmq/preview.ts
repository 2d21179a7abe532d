// A value as people read it in a dashboard, cut short: what counts is in the payload.

import { inspect } from 'node:util'

const MAX_LENGTH = 200
const OPTIONS = { depth: 2, breakLength: Infinity, maxArrayLength: 5, maxStringLength: 60 }

export function preview(value: unknown): string {
  try {
    const text = inspect(value, OPTIONS)
    return storable(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text)
  } catch {
    return '(cannot be shown)' // a getter or a proxy of the user's
  }
}

const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

/** A text of PostgreSQL has no NUL, and no half of a letter, as cutting makes them. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').replace(LONE, '\ufffd')
}
