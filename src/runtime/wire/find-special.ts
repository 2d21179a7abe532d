// Looks whether a value holds what structured clone would not keep: instances of registered classes, and errors.
//
// Most values hold none. So this only looks, which takes 3 to 10 % of the time of the structured clone (10,000 rows, Node 20);
// what is found is written by graph-writer.ts. Small plain values do not come here at all: message-parts.ts.

import { classes } from '../task/register-class.js'
import { isError } from './error-parts.js'

/**
 * Levels of objects in objects. To read a message takes stack for each, and whoever reads cannot catch it when that overflows: the
 * main thread did from 1650 levels on (Node 24.21; 1950 on 20.20), which ended the program, or a worker with all that it held.
 */
const MAX_NESTING = 1000

export class NestedTooDeeply extends RangeError {
  constructor() {
    super(`It is nested more than ${MAX_NESTING} levels deep`)
  }
}

export interface Special {
  /** Instances that travel by their fields: what structured clone makes of them needs only its class. */
  readonly instances: readonly object[]
  /** It holds errors, or instances with data of their own making. */
  readonly needsCopy: boolean
}

/** Of the objects that hold others: what is met again is looked into again, at most so many times as often as needed. */
const REMEMBERED_EVERY = 8
/** Objects with more parts than this are always remembered. */
const MANY = 16
/**
 * Items of a list whose named properties are looked at, as the result of a match() has them, and how many lists are: to ask a list
 * for its names takes longer than all the rest.
 */
export const FEW = 32
/** Holes of a list, which may have four thousand million, before only those items are looked at that exist. */
export const MAX_HOLES = 10_000

/**
 * Undefined: it holds nothing special. May throw what a getter or a proxy throws.
 *
 * @throws NestedTooDeeply
 */
export function findSpecial(root: unknown): Special | undefined {
  return holdsNothing(root) ? undefined : walk(root as object, false)
}

/** Known at once, without running code of the value's (a proxy is no view). To walk through anything else makes 1 KB of garbage. */
export function holdsNothing(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (!ArrayBuffer.isView(value) || Object.getPrototypeOf(value) !== Uint8Array.prototype) return false
  return classes.count === 0 || !classes.byPrototype.has(Uint8Array.prototype)
}

/** In the order of structured clone, which decides how deep in it a part is that is met twice. `isExact`: all are remembered. */
function walk(root: object, isExact: boolean): Special | undefined {
  const instances: object[] = []
  let needsCopy = false
  const seen = new Set<object>()
  const left: object[] = [root] // not recursive: values may be nested deeper than the stack
  let count = 1
  /** Where the parts of each part begin in `left` that is being looked into. */
  const begins: number[] = []
  /** Short lists that are still searched for names. */
  const names = { left: FEW }
  let reads = 0
  let holders = 0
  /** Only what holds others can be part of a circle. To remember each would cost three times as much as to read it. */
  const isRemembered = (held: number) => reads > MANY || (held > 0 && ++holders % REMEMBERED_EVERY === 0)
  const look = (value: unknown) => {
    reads++
    if (typeof value === 'object' && value !== null) left[count++] = value
  }
  while (count > 0) {
    const part = left[--count] as object
    while (begins.length > 0 && begins.at(-1)! > count) begins.pop()
    if (seen.has(part)) continue
    const before = count
    reads = 0
    if (begins.length >= FEW) names.left = 1 // a chain of lists by their names may be nested too deeply
    const kind = lookInto(part, look, names)
    if (count - before > 1 && !Array.isArray(part)) reverse(left, before, count)
    if (count > before && begins.push(before) >= MAX_NESTING) {
      if (isExact) throw new NestedTooDeeply()
      return walk(root, true)
    }
    if (kind === 'copy') needsCopy = true
    if (kind === 'instance') instances.push(part)
    if (isExact || kind === 'instance' || isRemembered(count - before)) seen.add(part)
  }
  return needsCopy || instances.length > 0 ? { instances, needsCopy } : undefined
}

/** True for objects of whose fields structured clone makes a plain object with Object.prototype. */
export function isPlain(part: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}

/** What is last in `left` is taken first. */
function reverse(left: object[], from: number, to: number): void {
  for (let a = from, b = to - 1; a < b; a++, b--) {
    const part = left[a]!
    left[a] = left[b]!
    left[b] = part
  }
}

type Look = (value: unknown) => void

interface Names {
  left: number
}

/** Shows the parts of this one. */
function lookInto(part: object, look: Look, names: Names): 'copy' | 'instance' | 'none' {
  const prototype: unknown = Object.getPrototypeOf(part)
  if (prototype === Object.prototype || prototype === null) return lookIntoFields(part, look)
  const registered = classes.count === 0 ? undefined : classes.byPrototype.get(prototype)
  if (registered?.toData) return 'copy'
  if (prototype === Uint8Array.prototype || prototype === Date.prototype) return 'none' // the most frequent of those that hold nothing
  if (Array.isArray(part)) {
    lookIntoItems(part, look, names)
  } else if (part instanceof Map) {
    for (const [key, value] of part) {
      look(key)
      look(value)
    }
  } else if (part instanceof Set) {
    for (const value of part) look(value)
  } else if (isError(part)) {
    return 'copy'
  } else if (registered) {
    lookIntoFields(part, look)
    return 'instance'
  } else if (!ArrayBuffer.isView(part)) {
    for (const key of Object.keys(part)) look((part as Record<string, unknown>)[key])
  }
  return 'none'
}

/** From behind, so that the first one is looked into first. */
function lookIntoItems(list: readonly unknown[], look: Look, names: Names): void {
  if (list.length <= FEW && names.left-- > 0) return Object.keys(list).reverse().forEach((key) => look(list[key as never])) // prettier-ignore
  let missing = 0
  for (let i = list.length - 1; i >= 0; i--) {
    const value = list[i]
    if (value === undefined && ++missing > MAX_HOLES) return void lookIntoFields(list, look)
    look(value)
  }
}

function lookIntoFields(part: object, look: Look): 'none' {
  for (const key in part) look((part as Record<string, unknown>)[key])
  return 'none'
}
