// Copies what an error holds without what cannot travel: each such leaf is replaced by its text, and all the rest arrives.
//
// An error of a library often holds half of the program: a request with its socket, the server behind it. So a copy has bounds, and
// whatever emits events is a leaf.

import { types } from 'node:util'
import { describe } from '../../../errors/errors.js'
import { classes, type RegisteredClass } from '../../task/register-class.js'
import { defineField, isError, readField } from './error-parts.js'
import type { Carrier, Moved } from './output.js'
import { leafProblem, nameOf } from './platform.js'
import { isDelicate } from './shapes.js'

/** Errors of errors of errors ...: nobody reads so far, and a chain of thousands would overflow the stack. */
const MAX_ERRORS = 100
const MAX_DEPTH = 64
const MAX_OBJECTS = 10_000
/** Characters of the text that stands for a leaf, such as the source of a function. */
const MAX_TEXT = 200

/** An instance of a registered class, whose fields or data were pruned. */
export class Prepared {
  readonly registered: RegisteredClass
  readonly data: unknown
  readonly hasFields: boolean

  constructor(registered: RegisteredClass, data: unknown) {
    this.registered = registered
    this.data = data
    this.hasFields = registered.toData === undefined
  }
}

/** Of one message. */
export class Pruning {
  readonly #carrier: Carrier
  readonly #transfer: Moved | undefined
  /** By original: what occurs twice still does so. */
  readonly #copies = new Map<object, unknown>()
  #errors = 0
  #depth = 0

  constructor(carrier: Carrier, transfer: Moved | undefined) {
    this.#carrier = carrier
    this.#transfer = transfer
  }

  /** False: so many errors hold each other that this one is told by its text. */
  enter(): boolean {
    if (this.#errors === MAX_ERRORS) return false
    this.#errors++
    return true
  }

  leave(): void {
    this.#errors--
  }

  textOf(value: unknown): string {
    const told = describe(value)
    const text = told === '[object Object]' ? `[${nameOf(value as object)}]` : told
    return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text
  }

  /** What toData() gives, pruned; undefined: it has thrown. */
  dataOf(instance: object, { toData }: RegisteredClass): { readonly value: unknown } | undefined {
    try {
      return { value: this.prune(toData!(instance)) }
    } catch {
      return undefined
    }
  }

  prune(value: unknown): unknown {
    if (typeof value === 'function' || typeof value === 'symbol') return this.textOf(value)
    if (typeof value !== 'object' || value === null) return value
    const known = this.#copies.get(value)
    if (known !== undefined) return known
    if (isError(value)) return value
    if (this.#depth === MAX_DEPTH || this.#copies.size >= MAX_OBJECTS) return this.textOf(value)
    this.#depth++
    try {
      return this.#copy(value)
    } catch {
      return this.textOf(value) // a proxy, or an object that throws when it is looked at
    } finally {
      this.#depth--
    }
  }

  #copy(value: object): unknown {
    const prototype: unknown = Object.getPrototypeOf(value)
    const registered = classes.count > 0 ? classes.byPrototype.get(prototype) : undefined
    if (registered) return this.#copyInstance(value, registered)
    if (Array.isArray(value)) return this.#fill(value, new Array<unknown>(value.length))
    if (types.isMap(value)) return this.#copyMap(value)
    if (types.isSet(value)) return this.#copySet(value)
    if (this.#carrier.objects && this.#transfer?.has(value)) return value
    const problem = leafProblem(value, this.#carrier)
    if (problem === undefined) return value
    return problem === 'has fields' ? this.#fill(value, {}) : this.textOf(value)
  }

  #copyInstance(value: object, registered: RegisteredClass): unknown {
    this.#copies.set(value, this.textOf(value)) // within itself
    const data = registered.toData ? this.dataOf(value, registered) : { value: this.#fill(value, {}) }
    const copy = data ? new Prepared(registered, data.value) : this.textOf(value)
    this.#copies.set(value, copy)
    return copy
  }

  #copyMap(value: Map<unknown, unknown>): unknown {
    const copy = new Map<unknown, unknown>()
    this.#copies.set(value, copy)
    for (const [key, item] of Map.prototype.entries.call(value)) copy.set(this.prune(key), this.prune(item))
    return copy
  }

  #copySet(value: Set<unknown>): unknown {
    const copy = new Set<unknown>()
    this.#copies.set(value, copy)
    for (const item of Set.prototype.values.call(value)) copy.add(this.prune(item))
    return copy
  }

  #fill(value: object, copy: object): unknown {
    if (!this.#copies.has(value)) this.#copies.set(value, copy)
    for (const key of Object.keys(value)) {
      const own = this.prune(readField(value, key))
      if (isDelicate(key)) defineField(copy, key, own, true)
      else (copy as Record<string, unknown>)[key] = own
    }
    return copy
  }
}
