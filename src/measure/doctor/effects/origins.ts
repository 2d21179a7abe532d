// Where a value is from, as far as its source tells: an argument, or a variable that outlives the calls.
//
// Each expression has origins, by how many containers they are away: `rows` is 0 away from the argument, `[...rows]` and `{ rows }` are 1
// away, and `[...rows][0]` is 0 away again. What is below an origin is 0 away, too: a write to it changes the origin.

import type { HomeVariable } from './definitions.js'
import type { ParsedScript } from '../source/script-functions.js'

const MAX_AWAY = 4

/** An argument of the function, by its place from 0, a variable of a file, or all that a file exports. */
export type Origin =
  | { readonly argument: number }
  | {
      readonly home: HomeVariable
      /** Only it itself is known, not what it holds. */ readonly isClosed: boolean
    }
  | { readonly exportsOf: ParsedScript }

/** Away by origin. */
export type Origins = ReadonlyMap<Origin, number>

export const NONE: Origins = new Map()

export function moved(origins: Origins, by: number): Origins {
  const open = [...origins].filter(
    ([origin, away]) => away + by >= 0 || !('isClosed' in origin && origin.isClosed),
  )
  return new Map(open.map(([origin, away]) => [origin, Math.min(MAX_AWAY, Math.max(0, away + by))]))
}

/** Of containers so deep what they hold, in a new one. */
export function copied(origins: Origins, depth: number): Origins {
  let inner = origins
  for (let i = 0; i < depth; i++) inner = moved(inner, -1)
  return moved(inner, 1)
}

export function union(...all: Origins[]): Origins {
  const some = all.filter(({ size }) => size > 0)
  if (some.length < 2) return some[0] ?? NONE
  const found = new Map<Origin, number>()
  for (const origins of some)
    for (const [origin, away] of origins) found.set(origin, Math.min(away, found.get(origin) ?? Infinity))
  return found
}

/** Whether something is new there. */
export function add(to: Map<Origin, number>, from: Origins): boolean {
  let isNew = false
  for (const [origin, away] of from) {
    if (away >= (to.get(origin) ?? Infinity)) continue
    to.set(origin, away)
    isNew = true
  }
  return isNew
}

/** Such as "argument 1" and "PLANS". */
export function originName(origin: Origin): string {
  if ('argument' in origin) return `argument ${origin.argument + 1}`
  return 'home' in origin ? origin.home.variable.name : 'exports'
}
