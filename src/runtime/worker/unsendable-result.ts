// Why a result cannot be sent, for its caller.

import { problemText } from '../wire/not-cloneable.js'

export function unsendableResult(value: unknown, error: unknown): string {
  const hint = isIterator(value) ? '; its items come one by one when it is called with stream()' : ''
  return problemText('result', error).replace(/\.$/, '') + hint
}

/** Such as what a generator function returns. */
function isIterator(value: unknown): boolean {
  try {
    if (typeof value !== 'object' || value === null) return false
    const hasItems = Symbol.iterator in value || Symbol.asyncIterator in value
    return hasItems && typeof (value as { next?: unknown }).next === 'function'
  } catch {
    return false // a proxy
  }
}
