// What the inspector knows of values, asked for once, and of many at a time.

import type { Closures, Inside } from './closures.js'
import { isNative } from './properties.js'

const BATCH = 200

export interface InsideOf {
  (value: object): Inside & { url: string }
  /** Those that will be asked for, at once. */
  prepare(values: readonly unknown[]): void
}

/** Once for each. */
export function createInsideOf({ insideOf, urlOf }: Closures): InsideOf {
  const known = new Map<object, Inside & { url: string }>()
  const ask = (values: readonly object[]) => {
    const found = insideOf(values)
    values.forEach((value, at) => {
      const inside = found[at]!
      known.set(value, { ...inside, url: inside.scriptId === '' ? '' : urlOf(inside.scriptId) })
    })
  }
  const one = (value: object) => {
    if (!known.has(value)) ask([value])
    return known.get(value)!
  }
  return Object.assign(one, {
    prepare(values: readonly unknown[]) {
      const unknown = new Set(
        values.filter(
          (each): each is object => typeof each === 'function' && !known.has(each) && !isNative(each),
        ),
      )
      const list = [...unknown]
      for (let at = 0; at < list.length; at += BATCH) ask(list.slice(at, at + BATCH))
    },
  })
}
