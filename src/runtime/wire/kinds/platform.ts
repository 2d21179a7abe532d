// Objects of the platform, and what becomes of each. How it is known: the class of the platform answers for it (primitives/platform-class.ts),
// or node:util does, or structured clone makes more of it than a plain object. Never its name: node-fetch has a File too, and a user a Histogram.

import { types } from 'node:util'
import { builtInName, isMadeBy, namesAbove, propertyOf } from '../../../primitives/platform-class.js'
import { readField } from './error-parts.js'

/**
 * text      by its text                  items    by what it lists
 * beside    structured clone copies it   moved    structured clone can only move it
 * file      a Blob with a name           refused  it is tied to its thread
 */
export type PlatformKind = 'text' | 'items' | 'beside' | 'moved' | 'file' | 'refused'

interface PlatformClass {
  readonly kind: PlatformKind
  /** Which getter or method of its prototype answers for its own objects only. */
  readonly asks: string
  /** The module that has it too: a realm of Jest or node:vm may have another class of that name, or none. */
  readonly module?: () => object
}

const url = () => process.getBuiltinModule('node:url')
const buffer = () => process.getBuiltinModule('node:buffer')
const crypto = () => process.getBuiltinModule('node:crypto')
const net = () => process.getBuiltinModule('node:net')
const streams = () => process.getBuiltinModule('node:stream/web')
const threads = () => process.getBuiltinModule('node:worker_threads')

const classes = new Map<string, PlatformClass>(
  Object.entries({
    URL: { kind: 'text', asks: 'href', module: url },
    URLSearchParams: { kind: 'text', asks: 'has', module: url },
    Headers: { kind: 'items', asks: 'has' },
    FormData: { kind: 'items', asks: 'has' },
    File: { kind: 'file', asks: 'lastModified', module: buffer },
    Blob: { kind: 'beside', asks: 'size', module: buffer },
    CryptoKey: { kind: 'beside', asks: 'algorithm' },
    KeyObject: { kind: 'beside', asks: 'type', module: crypto },
    X509Certificate: { kind: 'beside', asks: 'subject', module: crypto },
    BlockList: { kind: 'beside', asks: 'rules', module: net },
    SocketAddress: { kind: 'beside', asks: 'address', module: net },
    MessagePort: { kind: 'moved', asks: 'hasRef', module: threads },
    ReadableStream: { kind: 'moved', asks: 'locked', module: streams },
    WritableStream: { kind: 'moved', asks: 'locked', module: streams },
    TransformStream: { kind: 'moved', asks: 'readable', module: streams },
    WeakRef: { kind: 'refused', asks: 'deref' },
  }),
)

/** Deno has no such objects, and no such function. */
const isExternal = (types as Partial<typeof types>).isExternal ?? (() => false)
/** Of these nothing can travel, whatever fields somebody has given to them. */
const isTied = [
  types.isPromise,
  types.isWeakMap,
  types.isWeakSet,
  types.isGeneratorObject,
  types.isModuleNamespaceObject,
  isExternal,
]

export interface PlatformObject {
  readonly kind: PlatformKind
  /** The class that has made it, and its name; undefined: only structured clone knows it. */
  readonly made?: { readonly name: string; readonly by: { readonly prototype: object } }
}

/** Undefined: an object with fields. */
export function platformObjectOf(value: object): PlatformObject | undefined {
  const known = findClass(value)
  if (known) return known
  if (isTied.some((is) => is(value))) return { kind: 'refused' }
  const field = ownField(value)
  if (field === undefined)
    return isEmpty(value) ? undefined : { kind: isCloned(value) ? 'beside' : 'refused' }
  // Some objects of Node have nothing but this of their own.
  if (field === 'constructor' && Object.keys(value).length === 1 && isCloned(value)) return { kind: 'beside' }
  return !isPlain(value) && emits(value) ? { kind: 'refused' } : undefined
}

/** Structured clone makes of it what it is, and no plain object: as of a File up to Node 20, and of all that it does not know. */
export function isCloned(value: object): boolean {
  try {
    return !isPlain(clone(value))
  } catch {
    return false
  }
}

function clone(value: object): object {
  if (typeof structuredClone === 'function') return structuredClone(value)
  const { MessageChannel, receiveMessageOnPort } = threads() // jsdom's realms in Jest have no structuredClone
  const { port1, port2 } = new MessageChannel()
  try {
    port1.postMessage(value)
    return (receiveMessageOnPort(port2) as { message: object }).message
  } finally {
    port1.close()
  }
}

export function isOnlyMoved(value: object): boolean {
  return findClass(value)?.kind === 'moved'
}

function findClass(value: object): PlatformObject | undefined {
  for (const name of namesAbove(value)) {
    const known = classes.get(name)
    if (known === undefined) continue
    for (const from of [() => globalThis, known.module ?? (() => ({}))]) {
      const by = (from() as Record<string, unknown>)[name]
      if (isMadeBy(by, known.asks, value))
        return { kind: known.kind, made: { name, by: by as { prototype: object } } }
    }
  }
  return undefined
}

/** What it says that it is; of an instance the name of its class. For messages. */
export function nameOf(value: object): string {
  const tag = tagOf(value)
  if (tag === 'EventTarget') return namesAbove(value)[0] ?? tag
  const type =
    tag === 'Object' ? (readField(value, 'constructor') as { name?: unknown } | undefined) : undefined
  return typeof type === 'function' && type.name !== '' ? String(type.name) : tag
}

function tagOf(value: object): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

export function whyRefused(value: object): string {
  if (emits(value)) return ', which emits events'
  if (isTied.some((is) => is(value)) || findClass(value)) return ''
  return ` without fields that can be copied${isPlain(value) ? '' : ': register its class'}`
}

/** One of its fields. No list of them is made. */
export function ownField(value: object): string | undefined {
  for (const key in value) if (Object.hasOwn(value, key)) return key
  return undefined
}

/** Of an object without fields: it holds nothing else either, and its class adds nothing. */
function isEmpty(value: object): boolean {
  return isPlain(value) && Reflect.ownKeys(value).length === 0
}

/** It has the prototype of the plain objects of some realm, or none, or one that holds nothing. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as object | null
  if (prototype === null) return true
  if (Object.getPrototypeOf(prototype) !== null) return false
  return builtInName(prototype) === 'Object' || Reflect.ownKeys(prototype).length === 0
}

/** Sockets, servers, streams: what they hold is of no use elsewhere. No getter is called. */
function emits(value: object): boolean {
  return ['removeListener', 'emit', 'on'].every(
    (name) => typeof propertyOf(value, name)?.value === 'function',
  )
}

export function article(name: string): string {
  return /^[aeiou]/i.test(name) && !/^U[A-Z]|^URL/.test(name) ? 'an' : 'a'
}
