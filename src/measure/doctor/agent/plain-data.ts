// Whether a value can be copied to another thread and be the same there.

import { types } from 'node:util'
import { textOf } from '../state/properties.js'

/** Larger values are not looked at to their end. */
const MAX_VALUES = 20_000

/** Null: it is plain data. Otherwise what it is that is none, such as "a request (IncomingMessage)". */
export function notPlain(value: unknown): string | null {
  const waiting: unknown[] = [value]
  const seen = new Set<unknown>()
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next === 'function') return 'a function'
    if (typeof next === 'symbol') return 'a symbol'
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    if (seen.size >= MAX_VALUES) return null
    seen.add(next)
    const inner = innerOf(next)
    if (typeof inner === 'string') return inner
    waiting.push(...inner)
  }
  return null
}

/** What an object holds; a text where it is of a class of its own. */
function innerOf(value: object): unknown[] | string {
  if (types.isProxy(value)) return 'a proxy'
  if (
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isDate(value) ||
    types.isRegExp(value)
  )
    return []
  if (types.isMap(value)) return [...value].flat()
  if (types.isSet(value)) return [...value]
  const prototype = Object.getPrototypeOf(value) as object | null
  const isPlain = Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null
  if (!isPlain) return describeInstance(value, prototype)
  const descriptors = Object.values(Object.getOwnPropertyDescriptors(value))
  return descriptors.some(({ get }) => get)
    ? 'an object with getters'
    : descriptors.map((each) => each.value as unknown)
}

function describeInstance(value: object, prototype: object): string {
  if ('req' in value && 'res' in value) return 'a context with a request and its response'
  const name = nameInCode(prototype.constructor)
  if (/request|incomingmessage/i.test(name)) return `a request (${name})`
  if (/response|reply/i.test(name)) return `a response (${name})`
  return name === '' || name === 'Object' ? 'an object with a prototype of its own' : `an instance of ${name}`
}

/** Of a class, unless its name was made while the app ran: then it may be data. Empty: it has none. */
function nameInCode(made: unknown): string {
  const name: unknown = typeof made === 'function' ? (made as { name: unknown }).name : ''
  if (typeof name !== 'string' || name === '') return ''
  return textOf(made as object)
    .split(/[^\w$]+/)
    .includes(name)
    ? name
    : 'a class'
}

/** What a copy of a result does not have beside that: it may be changed. */
export function lostInResult(value: unknown): Lost[] {
  const isFixed = [...objectsIn(value)].some((each) => !Object.isExtensible(each))
  return [...lostInCopy(value), ...(isFixed ? [{ what: 'an object that is frozen', key: null }] : [])]
}

/** What a copy of plain data does not have, such as "a field under a symbol". */
export interface Lost {
  readonly what: string
  /** Of a field, which may be data. */
  readonly key: string | null
}

export function lostInCopy(value: unknown): Lost[] {
  const lost = new Map<string, Lost>()
  const add = (what: string, key: string | null = null) => lost.set(`${what} ${key}`, { what, key })
  for (const each of objectsIn(value)) {
    const prototype = Object.getPrototypeOf(each) as object | null
    if (prototype === null) add('an object without a prototype')
    if (types.isRegExp(each) || ArrayBuffer.isView(each)) continue
    for (const key of Reflect.ownKeys(each)) {
      if (typeof key === 'symbol') add('a field under a symbol')
      else if (
        !Reflect.getOwnPropertyDescriptor(each, key)!.enumerable &&
        !(key === 'length' && Array.isArray(each))
      )
        add('a field that is not enumerable', key)
    }
  }
  return [...lost.values()]
}

/** All objects that a value of plain data holds, and itself. */
export function objectsIn(value: unknown): Set<object> {
  const found = new Set<object>()
  const waiting: unknown[] = [value]
  while (waiting.length > 0 && found.size < MAX_VALUES) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null || found.has(next) || types.isProxy(next)) continue
    found.add(next)
    const inner = innerOf(next)
    if (typeof inner !== 'string') waiting.push(...inner)
  }
  return found
}
