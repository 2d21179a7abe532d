// Copies a value for a message: what structured clone keeps; errors, instances and what else is of the platform as objects that stand for them.
//
// It says what cannot travel, with its path. Of what an error holds it makes text instead: that must not hide the error.

import { describe } from '../../../errors/errors.js'
import { classes, type RegisteredClass } from '../../task/register-class.js'
import { Apart } from '../../wire/codec/apart.js'
import { isError } from '../../../primitives/any-realm.js'
import { baseOf } from '../../wire/kinds/error-classes.js'
import { defineField, fieldsOf, readField, textsOf } from '../../wire/kinds/error-parts.js'
import { asNotSendable, NotSendable } from '../../wire/codec/not-sendable.js'
import { bufferOf, isDetached, isOutOfBounds, viewLike } from './views.js'
import {
  canOnlyMove,
  cloneOf,
  emits,
  isBoxed,
  isOfPlatform,
  isPlain,
  knownNameOf,
  named,
  nameOf,
  ownField,
  tagOf,
  type KnownName,
} from './platform.js'
import type { ErrorSpecial, Special } from './revive.js'
import { isPicture, MAX_TEXT, MOVED_FROM } from './looks-plain.js'

/** The objects that are moved instead of copied. */
export interface Moved {
  has(value: object): boolean
}

export interface Copied {
  readonly value: unknown
  readonly specials: readonly Special[]
  /** What the caller moves; buffers of ours, of which nobody else knows; memory that is shared, which not every page can send. */
  readonly moved: readonly object[]
  readonly owned: readonly object[]
  readonly shared: readonly object[]
}

/** A value that travels as it is. */
export function isBare(value: unknown): boolean {
  return value === null || !['object', 'function', 'symbol'].includes(typeof value)
}

/** A value of which what cannot travel becomes text. */
export class Pruned {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  static of(thrown: unknown): unknown {
    return isBare(thrown) || Pruned.valueOf(thrown) !== thrown ? thrown : new Pruned(thrown)
  }

  static valueOf(thrown: unknown): unknown {
    return typeof thrown === 'object' && thrown !== null && #value in thrown ? thrown.#value : thrown
  }
}

const MAX_DEPTH = 1000
/** Within errors: nobody reads so far, and they often hold half of the program. */
const PRUNED_DEPTH = 64
const PRUNED_OBJECTS = 10_000
const PRUNED_ERRORS = 100
const PRUNED_TEXT = 200
/** Objects, and lists of so many times ITEMS, up to which a value is copied, in a few microseconds: then it can travel together with others. */
const FEW = 256
/** Items of a list that cost as much as an object. */
const ITEMS = 16
const MAKING = {}

export class Copying {
  readonly #specials: Special[] = []
  #moved: Set<object> | undefined
  readonly #owned: object[] = []
  readonly #shared: object[] = []
  readonly #transfer: Moved | undefined
  /** By original: what occurs twice still does so. */
  #copies = new Map<object, unknown>()
  #depth = 0
  #textLength = 0
  /** Errors around what is copied now. */
  #errors = 0
  #isPruning = false
  /** Objects that were copied as parts of errors alone. */
  readonly #pruned = new Set<object>()
  /** Something in errors has become text. */
  #hasReplaced = false

  /** Of a value that can also be sent as it is: it is large, or holds a picture. Then the copy is given up. */
  isLarge = false
  #objectsLeft: number

  constructor(transfer: Moved | undefined, isForLarge = true) {
    this.#transfer = transfer
    this.#objectsLeft = isForLarge ? Infinity : FEW
  }

  /** @throws NotSendable */
  copyAll(value: unknown): Copied {
    const given = Pruned.valueOf(value)
    const copy = given === value ? this.#copy(value) : this.#prune(given)
    if (this.#textLength > MAX_TEXT) throw new NotSendable('larger than a message can be')
    return {
      value: copy,
      specials: this.#specials,
      moved: [...(this.#moved ?? [])],
      owned: this.#owned,
      shared: this.#shared,
    }
  }

  #prune(value: unknown): unknown {
    const before = this.#isPruning
    this.#isPruning = true
    try {
      return this.#copy(value)
    } finally {
      this.#isPruning = before
    }
  }

  #copy(value: unknown): unknown {
    if (!this.#isPruning) return this.#copyWhole(value)
    const before = this.#specials.length
    try {
      if (isBare(value) || (this.#depth < PRUNED_DEPTH && this.#pruned.size < PRUNED_OBJECTS))
        return this.#copyWhole(value)
    } catch {
      // A proxy, or an object that throws when it is looked at, or what cannot travel.
      if (typeof value === 'object') this.#copies.delete(value!)
      this.#specials.length = before
    }
    this.#hasReplaced = true
    return textOf(value)
  }

  #copyWhole(value: unknown): unknown {
    if (typeof value === 'function') throw new NotSendable('a function')
    if (typeof value === 'symbol') throw new NotSendable('a symbol')
    if (typeof value === 'string') this.#textLength += value.length
    if (typeof value !== 'object' || value === null) return value
    const known = this.#copies.get(value)
    if (known === MAKING)
      throw new NotSendable(
        `a circle: what toData() of class ${nameOf(value)} gives holds the instance itself`,
      )
    if (known !== undefined) {
      this.#checkWhole(value)
      return known
    }
    if (this.#isPruning) this.#pruned.add(value)
    this.#spend(Array.isArray(value) ? 1 + value.length / ITEMS : 1)
    if (this.#depth > MAX_DEPTH) throw new NotSendable(`nested more than ${MAX_DEPTH} levels deep`)
    this.#depth++
    try {
      return this.#copyObject(value)
    } finally {
      this.#depth--
    }
  }

  /** An object that errors hold was met outside of them, where nothing becomes text. @throws NotSendable */
  #checkWhole(value: object): void {
    if (this.#isPruning || !this.#hasReplaced || !this.#pruned.delete(value)) return
    new Copying(this.#transfer).#copyWhole(value)
  }

  /** What errors hold is copied in any case. @throws NotSendable where the copy is given up */
  #spend(objects: number): void {
    if (this.#isPruning || (this.#objectsLeft -= objects) >= 0) return
    this.isLarge = true
    throw new NotSendable('large')
  }

  #copyObject(value: object): unknown {
    const prototype: unknown = Object.getPrototypeOf(value)
    const registered = classes.count > 0 ? classes.byPrototype.get(prototype) : undefined
    if (prototype === Object.prototype && !registered && !this.#transfer?.has(value)) {
      const keys = keysOfPlain(value)
      if (keys) return this.#fieldsOf(value, keys)
    }
    if (!registered) {
      // First, since all arguments come in a list, and to know that something is no error takes as long as all else.
      if (Array.isArray(value)) return this.#copyList(value)
      if (ArrayBuffer.isView(value)) return this.#copyView(value)
    }
    if (isError(value)) return this.#copyError(value, registered)
    const items = Apart.itemsOf(value)
    if (items) return this.#copyApart(items)
    if (registered?.toData) return this.#copyData(value, registered)
    if (registered)
      return this.#special(value, { kind: 'fields', name: registered.name, fields: this.#fieldsOf(value) })
    const name = knownNameOf(value)
    return name ? Copying.#copiers[name](this, value as never) : this.#copyOther(value)
  }

  static readonly #copiers: Readonly<Record<KnownName, (own: Copying, value: never) => unknown>> = {
    Map: (own, map: Map<unknown, unknown>) => own.#copyMap(map),
    Set: (own, set: Set<unknown>) => own.#copySet(set),
    Date: (own, date: Date) => own.#keep(date, new Date(Date.prototype.getTime.call(whole(date)))),
    RegExp: (own, value: RegExp) => own.#keep(value, structuredClone(whole(value))),
    ArrayBuffer: (own, buffer: ArrayBuffer) => own.#copyBuffer(buffer),
    SharedArrayBuffer: (own, buffer: object) => own.#share(buffer),
    URL: (own, url: URL) => own.#special(url, { kind: 'URL', items: [urlText(whole(url))] }),
    URLSearchParams: Copying.#entriesOf('URLSearchParams'),
    Headers: Copying.#entriesOf('Headers'),
    FormData: Copying.#entriesOf('FormData'),
  }

  static #entriesOf(kind: 'URLSearchParams' | 'Headers' | 'FormData') {
    return (own: Copying, value: never) => {
      const { prototype } = globalThis[kind] as unknown as { readonly prototype: Map<string, unknown> }
      return own.#special(value, { kind, items: [...prototype.entries.call(whole(value))] })
    }
  }

  #keep<T>(original: object, copy: T): T {
    this.#copies.set(original, copy)
    return copy
  }

  #special(original: object, special: Special): Special {
    this.#specials.push(special)
    return this.#keep(original, special)
  }

  #move<T extends object>(value: T): T {
    ;(this.#moved ??= new Set()).add(value)
    return this.#keep(value, value)
  }

  #share<T extends object>(value: T): T {
    this.#shared.push(value)
    return this.#keep(value, value)
  }

  /** An object by its fields, or one of the platform. */
  #copyOther(value: object): unknown {
    if (this.#transfer?.has(value)) return this.#move(value)
    const field = ownField(value)
    if (field === undefined && isPlain(value) && Reflect.ownKeys(value).length === 0)
      return this.#keep(value, {})
    if (field === undefined || isOfPlatform(value)) {
      if (isPicture(value)) this.#spend(FEW)
      const { copy, error } = cloneOf(value)
      if (copy) return this.#keep(isBoxed(copy) ? value : whole(value, copy), copy)
      if (error !== undefined || field === undefined) throw refused(value, error)
    }
    if (!isPlain(value) && emits(value)) throw refused(value)
    return this.#fieldsOf(value)
  }

  #fieldsOf(value: object, keys = Object.keys(value)): object {
    return this.#fillKeys(value, this.#keep(value, {}), keys)
  }

  #fillKeys<T extends object>(value: object, copy: T, keys: readonly string[]): T {
    for (const key of keys) {
      try {
        const field = this.#isPruning ? readField(value, key) : (value as Record<string, unknown>)[key]
        const own = this.#copy(field)
        if (key in copy) defineField(copy, key, own, true)
        else (copy as Record<string, unknown>)[key] = own
      } catch (error) {
        throw asNotSendable(error).within(Array.isArray(value) && /^\d+$/.test(key) ? Number(key) : key)
      }
    }
    return copy
  }

  #copyList(list: readonly unknown[]): unknown[] {
    const copy = this.#keep(list, new Array<unknown>(list.length))
    const keys = Object.keys(list)
    // Index keys come first, in order: the last key tells of holes, and of other fields.
    const isDense = keys.length === list.length && (keys.at(-1) ?? '-1') === String(list.length - 1)
    return isDense ? this.#fillList(list, copy) : this.#fillKeys(list, copy, keys)
  }

  #fillList(list: readonly unknown[], copy: unknown[]): unknown[] {
    let i = 0
    try {
      for (; i < list.length; i++) copy[i] = this.#copy(list[i])
    } catch (error) {
      throw asNotSendable(error).within(i)
    }
    return copy
  }

  #copyApart(items: readonly unknown[]): unknown[] {
    return items.map((item, i) => {
      this.#copies = new Map()
      return this.#copyAt(item, i)
    })
  }

  #copyAt(item: unknown, index: number): unknown {
    try {
      return this.#copy(item)
    } catch (error) {
      throw asNotSendable(error).within(index)
    }
  }

  #copyMap(map: Map<unknown, unknown>): Map<unknown, unknown> {
    checkEntries(Map.prototype, map)
    const copy = this.#keep(this.#isPruning ? map : whole(map), new Map<unknown, unknown>())
    for (const [key, item] of Map.prototype.entries.call(map))
      copy.set(this.#copyAt(key, copy.size), this.#copyAt(item, copy.size))
    return copy
  }

  #copySet(set: Set<unknown>): Set<unknown> {
    checkEntries(Set.prototype, set)
    const copy = this.#keep(this.#isPruning ? set : whole(set), new Set<unknown>())
    for (const item of Set.prototype.values.call(set)) copy.add(this.#copyAt(item, copy.size))
    return copy
  }

  #copyBuffer(buffer: ArrayBuffer): ArrayBuffer {
    if (isDetached(buffer)) throw new NotSendable('an ArrayBuffer that was moved before')
    if (this.#transfer?.has(buffer)) return this.#move(buffer)
    if ((buffer as { resizable?: boolean }).resizable) return this.#keep(buffer, structuredClone(buffer))
    const copy = buffer.slice(0)
    if (copy.byteLength >= MOVED_FROM) this.#owned.push(copy)
    return this.#keep(buffer, copy)
  }

  /** With the whole of its buffer, which other views may share. */
  #copyView(view: ArrayBufferView): unknown {
    const own = bufferOf(view)
    const buffer = this.#copy(own)
    if (isOutOfBounds(view)) throw new NotSendable('a view that its buffer has become too short for')
    return this.#keep(view, buffer === own ? view : viewLike(view, buffer as ArrayBuffer)) // or it is moved, or shared
  }

  #copyData(value: object, registered: RegisteredClass): Special {
    const { name, toData } = registered
    let data: unknown
    try {
      data = toData!(value)
    } catch (error) {
      throw new NotSendable(
        `an instance that cannot be sent: toData() of class ${name} has thrown: ${describe(error)}`,
        error,
      )
    }
    this.#copies.set(value, MAKING)
    return this.#special(value, { kind: 'data', name, data: this.#copy(data) })
  }

  #copyError(error: Error, registered: RegisteredClass | undefined): unknown {
    if (this.#errors === PRUNED_ERRORS) return textOf(error)
    const depth = this.#depth
    this.#errors++
    this.#depth = 0
    try {
      const texts = textsOf(error)
      const text = (value: unknown, fallback: string) =>
        typeof value === 'string' ? (this.#copyWhole(value) as string) : fallback
      const { name, message, stack } = texts
      const special: ErrorSpecial = {
        kind: 'error',
        base: baseOf(error),
        fields: [],
        name: text(name, 'Error'),
        message: text(message, ''),
        stack: text(stack, ''),
      }
      this.#special(error, special)
      const fields = fieldsOf(error, registered !== undefined, texts)
      return Object.assign(special, this.#classOf(error, registered), {
        fields: fields.map((field) => ({ ...field, value: this.#prune(field.value) })),
      })
    } finally {
      this.#errors--
      this.#depth = depth
    }
  }

  #classOf(error: Error, registered: RegisteredClass | undefined): Partial<ErrorSpecial> {
    if (!registered?.toData) return registered ? { className: registered.name } : {}
    try {
      return { className: registered.name, data: { value: this.#prune(registered.toData(error)) } }
    } catch {
      return {} // it becomes an error without that class
    }
  }
}

/** Of plain data, as most objects are; undefined: it may be something else. */
function keysOfPlain(value: object): string[] | undefined {
  if (Object.prototype.toString.call(value) !== '[object Object]' || ArrayBuffer.isView(value))
    return undefined
  const keys = Object.keys(value)
  return keys.length > 0 ? keys : undefined
}

/**
 * The object, which would arrive without fields that somebody, or a class of its own, has given to it. Those that its copy has, too, such as `data` of an
 * ImageData, are the platform's. @throws NotSendable
 */
function whole<T extends object>(value: T, copy?: object): T {
  const field = ownField(value, copy)
  if (field === undefined) return value
  throw new NotSendable(`a ${tagOf(value)} with a field of its own, "${field}": register its class`)
}

/** A class of its own may keep them elsewhere, as a draft of Immer does: it would arrive empty. @throws NotSendable */
function checkEntries(prototype: object, value: { readonly size: number }): void {
  if (Object.getPrototypeOf(value) === prototype || Reflect.get(prototype, 'size', value) === value.size)
    return
  throw new NotSendable(
    `a ${nameOf(value)} that keeps its entries elsewhere: send a plain copy, or register its class`,
  )
}

/** Not what its class says. */
const urlText = (url: object): string => Reflect.get(URL.prototype, 'href', url)

/** Why it cannot travel. `error`: that of structured clone. */
function refused(value: object, error?: unknown): NotSendable {
  const what = named(value)
  if (canOnlyMove(value))
    return new NotSendable(`${what}, which can only be moved: name it in transfer, or wrap it in move()`)
  if (emits(value)) return new NotSendable(`${what}, which emits events`)
  if (error !== undefined) return new NotSendable(what, error)
  const hint = isPlain(value) ? '' : ': register its class'
  return new NotSendable(`${what} without fields that can be copied${hint}`)
}

function textOf(value: unknown): string {
  const told = describe(value)
  const text = told === '[object Object]' ? `[${nameOf(value as object)}]` : told
  return text.length > PRUNED_TEXT ? `${text.slice(0, PRUNED_TEXT)}...` : text
}
