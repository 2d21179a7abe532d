// Looks whether a value holds what structured clone would not keep: instances of registered classes, and errors.
//
// Most values hold none. So this only looks, which takes 3 to 10 % of the time of the structured clone (10,000 rows, Node 20);
// what is found is written by graph-writer.ts. Small plain values do not come here at all: message-parts.ts.

import { classes } from '../task/register-class.js'
import { isError } from './error-parts.js'

export interface Special {
  /** Instances that travel by their fields: what structured clone makes of them needs only its class. */
  readonly instances: readonly object[]
  /** It holds errors, or instances with data of their own making. */
  readonly needsCopy: boolean
}

/** Of the objects that hold others: what is met again is looked into again, at most so many times as often as needed. */
const REMEMBERED_EVERY = 8
/** Objects that hold more than this are always remembered. */
const MANY = 16

/** Undefined: it holds nothing special. May throw what a getter or a proxy throws. */
export function findSpecial(root: unknown): Special | undefined {
  if (typeof root !== 'object' || root === null) return undefined
  const instances: object[] = []
  const seen = new Set<object>()
  const left: object[] = [root] // not recursive: values may be nested deeper than the stack
  let count = 1
  let holders = 0
  /** Only what holds others can be part of a circle. To remember each would cost three times as much as to read it. */
  const isRemembered = (held: number) => held > MANY || (held > 0 && ++holders % REMEMBERED_EVERY === 0)
  const look = (value: unknown) => {
    if (typeof value === 'object' && value !== null) left[count++] = value
  }
  while (count > 0) {
    const part = left[--count] as object
    if (seen.has(part)) continue
    const before = count
    const kind = lookInto(part, look)
    if (kind === 'copy') return { instances, needsCopy: true }
    if (kind === 'instance') instances.push(part)
    if (kind === 'instance' || isRemembered(count - before)) seen.add(part)
  }
  return instances.length > 0 ? { instances, needsCopy: false } : undefined
}

/** True for objects of whose fields structured clone makes a plain object with Object.prototype. */
export function isPlain(part: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(part)
  return prototype === Object.prototype || prototype === null
}

/** Shows the parts of this one. */
function lookInto(part: object, look: (value: unknown) => void): 'copy' | 'instance' | 'none' {
  const prototype: unknown = Object.getPrototypeOf(part)
  if (prototype === Object.prototype || prototype === null) return lookIntoFields(part, look)
  const registered = classes.count === 0 ? undefined : classes.byPrototype.get(prototype)
  if (registered?.toData) return 'copy'
  if (prototype === Uint8Array.prototype) return 'none' // by far the most frequent of those that hold nothing
  if (Array.isArray(part)) {
    for (let i = 0; i < part.length; i++) look(part[i])
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
  }
  return 'none'
}

function lookIntoFields(part: object, look: (value: unknown) => void): 'none' {
  for (const key in part) look((part as Record<string, unknown>)[key])
  return 'none'
}
