// Whether an array has properties beside its items, which a clone keeps and our format does not.

import type { inspect as Inspect } from 'node:util'

/** Above, an array's keys take longer than isBare(). */
const LONG = 100
const NO_ITEMS = { maxArrayLength: 0, depth: 0, customInspect: false, compact: true, breakLength: Infinity }
let inspect: typeof Inspect | undefined

/** In a long array there may be holes all the same. */
export function hasOnlyItems(value: readonly unknown[]): boolean {
  return value.length > LONG ? isBare(value) : isDense(value)
}

/** No holes, and no other properties: index keys come first, in order, so the last key tells of all. */
function isDense(value: readonly unknown[]): boolean {
  const keys = Object.keys(value)
  return (
    keys.length === value.length && (keys.length === 0 || keys[keys.length - 1] === String(keys.length - 1))
  )
}

/**
 * Whether an array has no properties beside its items: that is, whether util.inspect without the items shows none. It takes 3 us
 * whatever the length; the keys of 16,000 items take 600, since each becomes a string. Other words of a later Node would only
 * make long arrays go by message.
 */
function isBare(value: readonly unknown[]): boolean {
  inspect ??= process.getBuiltinModule('node:util').inspect // workers that need it not do without its memory
  return inspect(value, NO_ITEMS) === `[ ... ${value.length} more items ]`
}
