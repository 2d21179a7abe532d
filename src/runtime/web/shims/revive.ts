// Puts errors, instances and what else is of the platform (a URL, Headers) into a value that has come, in place of the objects that stand for them.

import { describe, ThreadwiseError } from '../../../errors/errors.js'
import { isError } from '../../../primitives/any-realm.js'
import { isMadeBy } from '../../../primitives/platform-class.js'
import { classes, type RegisteredClass } from '../../task/register-class.js'
import { createError } from '../../wire/kinds/error-classes.js'
import { defineField } from '../../wire/kinds/error-parts.js'
import { Malformed, type ValueOrigin } from '../../wire/codec/input.js'

export type Special = ErrorSpecial | FieldsSpecial | DataSpecial | PlatformSpecial

export interface ErrorSpecial {
  readonly kind: 'error'
  /** The nearest class that both sides have. */
  readonly base: string
  readonly name: string
  readonly message: string
  readonly stack: string
  readonly className?: string
  /** What toData() of that class gave. */
  readonly data?: { readonly value: unknown }
  readonly fields: readonly { readonly key: string; readonly isShown: boolean; readonly value: unknown }[]
}

interface FieldsSpecial {
  readonly kind: 'fields'
  readonly name: string
  readonly fields: object
}

interface DataSpecial {
  readonly kind: 'data'
  readonly name: string
  readonly data: unknown
}

interface PlatformSpecial {
  readonly kind: 'URL' | 'URLSearchParams' | 'Headers' | 'FormData'
  readonly items: readonly (string | readonly [string, unknown])[]
}

/** @throws Malformed, TW_ERR_CLASS_NOT_REGISTERED, TW_ERR_NOT_CLONEABLE: see receive() */
export function revive(
  value: unknown,
  specials: readonly Special[],
  origin: ValueOrigin | undefined,
): unknown {
  return new Revival(specials, origin).revive(value)
}

class Revival {
  readonly #specials: ReadonlySet<unknown>
  readonly #origin: ValueOrigin | undefined
  readonly #made = new Map<object, unknown>()
  readonly #seen = new Set<object>()

  constructor(specials: readonly Special[], origin: ValueOrigin | undefined) {
    this.#specials = new Set(specials)
    this.#origin = origin
  }

  revive(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#specials.has(value))
      return this.#made.has(value) ? this.#made.get(value) : this.#make(value as Special)
    if (this.#seen.has(value)) return value
    this.#seen.add(value)
    if (isMadeBy(Map, 'size', value)) this.#reviveMap(value as Map<unknown, unknown>)
    else if (isMadeBy(Set, 'size', value)) this.#reviveSet(value as Set<unknown>)
    else if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)
      this.#reviveFields(value)
    return value
  }

  #reviveFields(object: object): void {
    for (const [key, part] of Object.entries(object) as [string, unknown][]) {
      const own = this.revive(part)
      if (own !== part) defineField(object, key, own, true)
    }
  }

  #reviveMap(map: Map<unknown, unknown>): void {
    const entries = [...map]
    map.clear()
    for (const [key, item] of entries) map.set(this.revive(key), this.revive(item))
  }

  #reviveSet(set: Set<unknown>): void {
    const items = [...set]
    set.clear()
    for (const item of items) set.add(this.revive(item))
  }

  #keep<T>(special: Special, object: T): T {
    this.#made.set(special, object)
    return object
  }

  #make(special: Special): unknown {
    switch (special.kind) {
      case 'error':
        return this.#makeError(special)
      case 'fields':
        return this.#makeOfFields(special)
      case 'data':
        return this.#keep(special, this.#makeOfData(special))
      default:
        return this.#keep(special, platformObject(special))
    }
  }

  #makeOfFields(special: FieldsSpecial): object {
    const { fields, name } = special
    const registered = this.#find(name)
    this.#keep(special, fields)
    this.#reviveFields(fields)
    return registered ? (Object.setPrototypeOf(fields, registered.prototype) as object) : fields
  }

  #makeOfData({ name, data: carried }: DataSpecial): unknown {
    const registered = this.#find(name)
    const data = this.revive(carried)
    if (!registered?.fromData) return data
    try {
      return registered.fromData(data)
    } catch (error) {
      if (!this.#origin) return data
      const reason = `fromData() of class ${name} has thrown: ${describe(error)}`
      throw new ThreadwiseError('TW_ERR_NOT_CLONEABLE', { ...this.#origin, reason }, { cause: error })
    }
  }

  #find(name: string): RegisteredClass | undefined {
    const registered = classes.byName.get(name)
    if (!registered && this.#origin)
      throw new ThreadwiseError('TW_ERR_CLASS_NOT_REGISTERED', { ...this.#origin, name })
    return registered
  }

  /** Whatever is wrong with its class must not hide the error. */
  #makeError(special: ErrorSpecial): Error {
    const { base, name, message, stack, className, data, fields } = special
    const registered = className === undefined ? undefined : classes.byName.get(className)
    const own = data && this.#errorOfData(registered, data.value)
    const error = this.#keep(special, own ?? ofClass(createError(base, message, name), registered))
    if (error.name !== name) defineField(error, 'name', name, false)
    setField(error, 'stack', stack, false)
    for (const { key, value, isShown } of fields) {
      // An error that was made of data has the fields of its own making.
      if (own === undefined || !Object.hasOwn(error, key)) setField(error, key, this.revive(value), isShown)
    }
    return error
  }

  #errorOfData(registered: RegisteredClass | undefined, carried: unknown): Error | undefined {
    try {
      const error = registered?.fromData?.(this.revive(carried))
      return isError(error) ? error : undefined
    } catch {
      return undefined // it becomes an error without that class
    }
  }
}

/** Not by its constructor: nobody knows what that asks for. */
function ofClass(error: Error, registered: RegisteredClass | undefined): Error {
  return registered && !registered.toData
    ? (Object.setPrototypeOf(error, registered.prototype) as Error)
    : error
}

function setField(error: Error, key: string, value: unknown, isShown: boolean): void {
  try {
    defineField(error, key, value, isShown)
  } catch {
    // The class of this browser has such a field, and does not let it change.
  }
}

function platformObject({ kind, items }: PlatformSpecial): object {
  if (kind === 'URL') return new URL(items[0] as string)
  if (!['URLSearchParams', 'Headers', 'FormData'].includes(kind))
    throw new Malformed('a kind of object is unknown here')
  const target = new globalThis[kind]()
  for (const [name, value] of items as [string, string][]) target.append(name, value)
  return target
}
