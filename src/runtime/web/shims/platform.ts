// What an object is to a browser, and how that is known: a class of the platform answers for it (primitives/platform-class.ts), or structured
// clone makes more of it than a plain object. Never its name. An object of another realm, such as a frame, is no instance of this realm's classes.

import { builtInName, isMadeBy, namesAbove, propertyOf } from '../../../primitives/platform-class.js'
import { readField } from '../../wire/kinds/error-parts.js'

/** What only an object of the class answers. */
const ASKS = {
  Map: 'size',
  Set: 'size',
  Date: 'getTime',
  RegExp: 'source',
  ArrayBuffer: 'byteLength',
  SharedArrayBuffer: 'byteLength',
  URL: 'href',
  URLSearchParams: 'has',
  Headers: 'has',
  FormData: 'has',
} as const
export type KnownName = keyof typeof ASKS

const namesOfClass = new WeakMap<object, readonly KnownName[]>()

/** Of the class that has made it, where it is one of those above. */
export function knownNameOf(value: object): KnownName | undefined {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null) return undefined
  let names = namesOfClass.get(prototype)
  if (names === undefined) {
    names = namesAbove(value).filter((name): name is KnownName => Object.hasOwn(ASKS, name))
    namesOfClass.set(prototype, names)
  }
  const types = globalThis as unknown as Record<string, unknown>
  return names.find((name) => isMadeBy(types[name], ASKS[name], value))
}

/** Structured clone can only move them. */
const ONLY_MOVED =
  /^(MessagePort|ReadableStream|WritableStream|TransformStream|OffscreenCanvas|RTCDataChannel|MediaStreamTrack|MediaSourceHandle)$/

/** Of such a class, and structured clone refuses it. */
export function canOnlyMove(value: object): boolean {
  return namesAbove(value).some((name) => ONLY_MOVED.test(name)) && cloneOf(value).error !== undefined
}

export interface Cloned {
  /** Undefined: structured clone refuses it, or makes a plain object of it. */
  readonly copy?: object
  readonly error?: unknown
}

export function cloneOf(value: object): Cloned {
  try {
    const copy = structuredClone(value)
    return isPlain(copy) ? {} : { copy }
  } catch (error) {
    return { error }
  }
}

/** Of a clone, which calls itself what it is: a text has its characters as fields. */
export function isBoxed(clone: object): boolean {
  return ['String', 'Number', 'Boolean', 'BigInt'].includes(tagOf(clone))
}

/** A class of the platform made it, or it extends one. */
export function isOfPlatform(value: object): boolean {
  let at = Object.getPrototypeOf(value) as object | null
  for (; at !== null; at = Object.getPrototypeOf(at) as object | null) {
    const name = builtInName(at)
    if (name !== undefined && name !== 'Object') return true
  }
  return false
}

export function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

/** What it says that it is; of an instance the name of its class. For messages. */
export function nameOf(value: object): string {
  const tag = tagOf(value)
  const type =
    tag === 'Object' ? (readField(value, 'constructor') as { name?: unknown } | undefined) : undefined
  return typeof type === 'function' && type.name !== '' ? String(type.name) : tag
}

/** "a Promise", "an HTMLElement" */
export function named(value: object): string {
  const name = nameOf(value)
  return `${/^([aeio]|u(?!r[li])|html|svg|xml)/i.test(name) ? 'an' : 'a'} ${name}`
}

/** It has the prototype of the plain objects of some realm, or none, or one that holds nothing. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null) return true
  if (Object.getPrototypeOf(prototype) !== null) return false
  return builtInName(prototype) === 'Object' || Reflect.ownKeys(prototype).length === 0
}

/** It sends events: what it holds is of no use elsewhere. No getter is called. */
export function emits(value: object): boolean {
  return ['removeListener', 'emit', 'on'].every(
    (name) => typeof propertyOf(value, name)?.value === 'function',
  )
}

/** A field of its own that the other object, if there is one, has not. */
export function ownField(value: object, other?: object): string | undefined {
  for (const key in value) if (Object.hasOwn(value, key) && !(other && Object.hasOwn(other, key))) return key
  return undefined
}
