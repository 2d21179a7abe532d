// Writes objects of the platform: some travel by what they say of themselves, some only by a message between threads, and the rest not at all.

import { article, isCloned, nameOf, ownField, whyRefused, type PlatformObject } from '../kinds/platform.js'
import { NotSendable } from './not-sendable.js'
import type { Output } from './output.js'
import * as tag from './tags.js'

type Put = (value: unknown) => void
type Type = { readonly prototype: object }

export function putPlatform(out: Output, value: object, { kind, made }: PlatformObject, put: Put): void {
  const what = `${article(nameOf(value))} ${nameOf(value)}`
  if (kind === 'refused') throw new NotSendable(what + whyRefused(value))
  if (kind === 'text') return putText(out, whole(value), made!)
  if (kind === 'items') return putItems(out, whole(value), made!, put)
  if (!out.carrier.objects) throw new NotSendable(`${what}, which only threads can be given`)
  if (kind === 'moved')
    throw new NotSendable(`${what}, which can only be moved: name it in transfer, or wrap it in move()`)
  if (made) whole(value)
  if (kind === 'file') return putFile(out, value, { what, by: made!.by })
  if (made && !isCloned(value)) throw new NotSendable(`${what} that cannot be cloned`)
  out.putBeside(value)
}

/** The object, which would arrive without fields that somebody, or a class of its own, has given to it. @throws NotSendable */
export function whole<T extends object>(value: T): T {
  const field = ownField(value)
  if (field === undefined) return value
  const name = nameOf(value)
  throw new NotSendable(`${article(name)} ${name} with a field of its own, "${field}": register its class`)
}

type Made = NonNullable<PlatformObject['made']>

// Not what an object says of itself: a subclass may say something else.

/** Of all that travel by their text: the tag, and the method that gives the text. */
const TEXTS: Readonly<Record<string, readonly [number, string]>> = {
  URL: [tag.URL_TEXT, 'toString'],
  URLSearchParams: [tag.SEARCH_PARAMS, 'toString'],
}

/** Of all that travel by what they list. */
const LISTS: Readonly<Record<string, number>> = { Headers: tag.HEADERS, FormData: tag.FORM_DATA }

function putText(out: Output, value: object, { name, by }: Made): void {
  const [kind, method] = TEXTS[name]!
  out.putTag(kind)
  out.putString(call(by, method, value))
}

function putItems(out: Output, value: object, { name, by }: Made, put: Put): void {
  const entries = [...call<Iterable<[string, unknown]>>(by, 'entries', value)].flat(1)
  out.putCount(LISTS[name]!, entries.length)
  for (const entry of entries) put(entry)
}

/** Structured clone makes a Blob of it, or, up to Node 20, nothing. */
function putFile(out: Output, file: object, { what, by }: { what: string; by: Type }): void {
  const content = call<object>(by, 'slice', file)
  if (!isCloned(content)) throw new NotSendable(`${what} that cannot be cloned`)
  out.putTag(tag.FILE)
  out.putString(get(by, 'name', file))
  out.putString(get(by, 'type', file))
  out.ensure(0)
  out.putF64(get(by, 'lastModified', file))
  out.putNumbered(content, false)
}

function get<T>({ prototype }: Type, key: string, value: object): T {
  return Reflect.get(prototype, key, value) as T
}

function call<T>({ prototype }: Type, key: string, value: object): T {
  return Reflect.apply((prototype as Record<string, () => T>)[key]!, value, [])
}
