// What a value holds, by name.

import { types } from 'node:util'
import type { InsideOf } from './inside-of.js'
import { isNative, isObject, ownValue, partOf, prototypeOf, textOf } from './properties.js'

/** A larger list of plain values is compared as a whole. */
const MAX_ELEMENTS = 100
const OF_FUNCTIONS = new Set<PropertyKey>(['length', 'name', 'arguments', 'caller', 'prototype'])

export function* partsOf(value: object, insideOf: InsideOf): Generator<[string, unknown]> {
  if (types.isProxy(value)) return yield* Object.entries(insideOf(value).hidden)
  if (types.isPromise(value) || isWeakRef(value)) yield* Object.entries(insideOf(value).hidden)
  if (types.isMap(value)) yield* mapParts(value)
  if (types.isSet(value)) yield* [...value].map((each, at): [string, unknown] => [`[${at}]`, each])
  if (hasPrivateFields(value))
    yield* Object.entries(insideOf(value).hidden).map(([name, part]): [string, unknown] => [`.${name}`, part])
  if (ArrayBuffer.isView(value) || (Array.isArray(value) && isLongTable(value))) return
  for (const key of Reflect.ownKeys(value))
    if (!isLeftOut(value, key)) yield [partName(value, key), partOf(value, key)]
  if (typeof value === 'function' && isOwnPrototype(value)) yield ['.prototype', value.prototype]
}

function isWeakRef(value: object): boolean {
  return Object.prototype.toString.call(value) === '[object WeakRef]'
}

function isLeftOut(value: object, key: PropertyKey): boolean {
  if (typeof value === 'function') return OF_FUNCTIONS.has(key)
  if (Array.isArray(value)) return key === 'length'
  return (
    (key === 'stack' && types.isNativeError(value)) ||
    (key === 'lastIndex' && types.isRegExp(value) && value.lastIndex === 0)
  )
}

function partName(value: object, key: PropertyKey): string {
  return Array.isArray(value) && /^\d+$/.test(String(key)) ? `[${String(key)}]` : `.${String(key)}`
}

/** Parts that are no properties. */
const OF_ENGINE =
  /^\.(__proto__|prototype|key\(\d+\)(\.key)?|\[\[(Bound(This|Args|TargetFunction)|TargetFunction|Target|Handler)\]\])$/

/** The key of an object or of a map in the name of a part; null: it has none that could be data. */
export function keyOf(name: string): string | null {
  const inMap = /^\.get\((".*")\)$/s.exec(name)?.[1]
  if (inMap !== undefined) return JSON.parse(inMap) as string
  const isKey = name.startsWith('.') && !OF_ENGINE.test(name)
  return isKey ? name.slice(1) : null
}

function* mapParts(map: Map<unknown, unknown>): Generator<[string, unknown]> {
  let at = 0
  for (const [key, part] of map) {
    const name = isObject(key) ? `.key(${at})` : `.get(${JSON.stringify(String(key))})`
    if (isObject(key)) yield [`${name}.key`, key]
    yield [name, part]
    at++
  }
}

/** Of a class, or of a function with methods: every other one has an empty object there. */
function isOwnPrototype(value: object): value is { prototype: object } {
  const prototype = ownValue(value, 'prototype')
  return isObject(prototype) && Reflect.ownKeys(prototype).some((key) => key !== 'constructor')
}

export function hasPrivateFields(value: object): boolean {
  for (let each: object | null = value; each !== null && !types.isProxy(each); each = prototypeOf(each)) {
    const made = ownValue(each, 'constructor')
    if (typeof made === 'function' && !isNative(made) && /#[\p{ID_Start}$_]/u.test(textOf(made))) return true
  }
  return false
}

/** Too long to have a part for each of its values. */
export function isLongTable(value: readonly unknown[]): boolean {
  return value.length > MAX_ELEMENTS && value.every((each) => !isObject(each))
}
