// How values stand in messages.

/** Keys of an object that are named. */
const MAX_KEYS = 20

export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (ArrayBuffer.isView(value)) return `a view of ${value.byteLength} bytes`
  if (typeof value === 'object' && value !== null && 'href' in value) return `the URL ${String(value.href)}` // also of another realm
  if (typeof value === 'object' && value !== null)
    return `an object with ${list(firstOf(Object.keys(value)))}`
  return String(value)
}

function firstOf(keys: string[]): string[] {
  const more = keys.length - MAX_KEYS
  return more > 0 ? [...keys.slice(0, MAX_KEYS), `${more} more`] : keys
}

/** The sentence around it goes on or has its own. */
export function withoutStop(reason: unknown): string {
  return String(reason).replace(/\.$/, '')
}

export function list(values: unknown): string {
  return Array.isArray(values) && values.length > 0 ? values.join(', ') : 'nothing'
}
