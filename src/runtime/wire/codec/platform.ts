// Objects of the platform: some travel by what they say of themselves, some only by a message between threads, and the rest not at all.

import { types } from 'node:util'
import { readField } from './error-parts.js'
import { NotSendable } from './not-sendable.js'
import type { Carrier, Output } from './output.js'
import * as tag from './tags.js'
import { bufferOf, isDetached, isOutOfBounds, isResizable } from './views.js'

/**
 * text      by its text                  items    by what it lists
 * beside    structured clone copies it   moved    structured clone can only move it
 * file      a Blob with a name           refused  it is tied to its thread
 */
export type PlatformKind = 'text' | 'items' | 'beside' | 'moved' | 'file' | 'refused'

const kinds = new Map<string, PlatformKind>(
  (
    [
      ['text', 'URL URLSearchParams'],
      ['items', 'Headers FormData'],
      [
        'beside',
        'Blob KeyObject CryptoKey BlockList SocketAddress X509Certificate WebAssembly.Module Histogram RecordableHistogram',
      ],
      ['file', 'File'],
      ['moved', 'MessagePort ReadableStream WritableStream TransformStream FileHandle'],
      ['refused', 'Promise WeakMap WeakSet WeakRef Generator AsyncGenerator Module AsyncFunction Symbol'],
    ] as const
  ).flatMap(([kind, names]) => names.split(' ').map((name): [string, PlatformKind] => [name, kind])),
)

/** Their prototypes say that they are objects like others. */
const byInternals: readonly ((value: object) => boolean)[] = [types.isKeyObject, types.isCryptoKey]

/** Deno has no such objects, and no such function. */
const isExternal = (types as Partial<typeof types>).isExternal ?? (() => false)

/** Undefined: an object with fields. */
export function platformKindOf(value: object): PlatformKind | undefined {
  const name = tagOf(value)
  if (name !== 'Object')
    return kinds.get(name) ?? (hasNoFields(value) || emits(value) ? 'refused' : undefined)
  if (isExternal(value) || types.isPromise(value)) return 'refused'
  if (byInternals.some((is) => is(value)) || isOfNode(value)) return 'beside'
  if (hasNoFields(value)) return isEmpty(value) ? undefined : 'refused'
  return !isPlain(value) && emits(value) ? 'refused' : undefined
}

export function putPlatform(
  out: Output,
  value: object,
  kind: PlatformKind,
  put: (value: unknown) => void,
): void {
  const name = nameOf(value)
  const what = `${article(name)} ${name}`
  if (kind === 'refused') throw new NotSendable(what + whyRefused(value))
  if (kind === 'text') {
    out.putTag(name === 'URL' ? tag.URL_TEXT : tag.SEARCH_PARAMS)
    return out.putString(
      name === 'URL' ? hrefOf(whole(value)) : URLSearchParams.prototype.toString.call(whole(value)),
    )
  }
  if (kind === 'items') return putItems(out, whole(value), name, put)
  if (!out.carrier.objects) throw new NotSendable(`${what}, which only threads can be given`)
  if (kind === 'file') return putFile(out, value as File)
  if (kind === 'moved')
    throw new NotSendable(`${what}, which can only be moved: name it in transfer, or wrap it in move()`)
  out.putBeside(value)
}

/** Why a part that holds no other parts of the user's cannot travel. */
export function leafProblem(value: object, carrier: Carrier): string | undefined {
  if (types.isDate(value) || types.isRegExp(value)) return ownField(value)
  if (types.isBoxedPrimitive(value)) return typeof value.valueOf() === 'symbol' ? 'a boxed symbol' : undefined
  if (types.isAnyArrayBuffer(value) || ArrayBuffer.isView(value)) return bufferProblem(value, carrier)
  const kind = platformKindOf(value)
  if (kind === undefined) return 'has fields'
  if (kind === 'text' || kind === 'items') return ownField(value)
  return carrier.objects && (kind === 'beside' || kind === 'file') ? undefined : kind
}

function bufferProblem(value: ArrayBufferLike | ArrayBufferView, carrier: Carrier): string | undefined {
  const buffer = ArrayBuffer.isView(value) ? bufferOf(value) : value
  if (isDetached(buffer)) return 'moved before'
  const canResize = isResizable(buffer)
  if (canResize && ArrayBuffer.isView(value) && isOutOfBounds(value)) return 'out of bounds'
  const isFixed = types.isArrayBuffer(buffer) && !canResize
  return carrier.objects || isFixed ? undefined : 'a buffer that only threads can be given'
}

function putItems(out: Output, value: object, name: string, put: (value: unknown) => void): void {
  const type = name === 'Headers' ? Headers : FormData
  const entries = [...(type.prototype as Headers).entries.call(value as Headers)].flat(1)
  out.putCount(name === 'Headers' ? tag.HEADERS : tag.FORM_DATA, entries.length)
  for (const entry of entries) put(entry)
}

/** Structured clone makes a Blob of it, or, up to Node 20, nothing. */
function putFile(out: Output, file: File): void {
  out.putTag(tag.FILE)
  out.putString(file.name)
  out.putString(file.type)
  out.ensure(0)
  out.putF64(file.lastModified)
  out.putNumbered(file.slice(), false)
}

function tagOf(value: object): string {
  if (value instanceof MessagePort) return 'MessagePort' // which calls itself an EventTarget
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}

/** What the platform calls it; of an instance the name of its class. */
export function nameOf(value: object): string {
  const tag = tagOf(value)
  const type =
    tag === 'Object' ? (readField(value, 'constructor') as { name?: unknown } | undefined) : undefined
  return typeof type === 'function' && type.name !== '' ? String(type.name) : tag
}

function whyRefused(value: object): string {
  if (emits(value)) return ', which emits events'
  if (tagOf(value) !== 'Object' || types.isPromise(value)) return ''
  return ` without fields that can be copied${isPlain(value) ? '' : ': register its class'}`
}

/** The object, which would arrive without fields that somebody, or a class of its own, has given to it. @throws NotSendable */
export function whole<T extends object>(value: T): T {
  const field = ownField(value)
  if (field === undefined) return value
  const name = tagOf(value)
  throw new NotSendable(`${article(name)} ${name} with a field of its own, "${field}": register its class`)
}

/** One of its fields. No list of them is made. */
export function ownField(value: object): string | undefined {
  for (const key in value) if (Object.hasOwn(value, key)) return key
  return undefined
}

/** It would arrive as {}, whatever it is: an object of the platform, or one with private, hidden or inherited state. */
function hasNoFields(value: object): boolean {
  return Object.keys(value).length === 0
}

/** Of an object without fields: it holds nothing else either, and its class adds nothing. */
function isEmpty(value: object): boolean {
  return isPlain(value) && Reflect.ownKeys(value).length === 0
}

/** In every realm the prototype of plain objects has none itself; neither has one made to hold nothing. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (typeof prototype !== 'object' || prototype === null) return true
  if (Object.getPrototypeOf(prototype) !== null) return false
  return Object.hasOwn(prototype, 'hasOwnProperty') || Reflect.ownKeys(prototype).length === 0
}

/** Sockets, servers, streams: what they hold is of no use elsewhere. */
function emits(value: object): boolean {
  return ['on', 'emit', 'removeListener'].every((name) => typeof readField(value, name) === 'function')
}

/** Classes of Node that mark what structured clone can copy; their names tell nothing of that. */
function isOfNode(value: object): boolean {
  return kinds.get(nameOf(value)) === 'beside' && Object.keys(value).every((key) => key === 'constructor')
}

const href = Object.getOwnPropertyDescriptor(URL.prototype, 'href')!

function hrefOf(url: object): string {
  return href.get!.call(url) as string
}

function article(name: string): string {
  return /^[aeiou]/i.test(name) && !/^U[A-Z]|^URL/.test(name) ? 'an' : 'a'
}
