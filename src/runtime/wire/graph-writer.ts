// Writes a value that holds instances of registered classes, or errors: a copy of it, and the steps that lead back.
//
//   copy()    strict: what cannot travel throws, or stays in the copy, where structured clone refuses it
//   write()   for what was thrown: what cannot travel is described, since it must not hide the error
//
// Steps are noted when a part is finished, so a step finds all that its part holds made before. The exception is a circle:
// one through errors and fields is no matter, since they exist before they are filled; one through the data of toData()
// cannot be undone, and is refused.

import { describe } from '../../errors/errors.js'
import { classes, type RegisteredClass } from '../task/register-class.js'
import {
  type EncodedGraph,
  type EncodedValue,
  type ErrorNode,
  type Step,
  FILL_ERROR,
  MAKE,
  MAKE_ERROR,
  PUT,
  PUT_ITEMS,
  SET_CLASS,
} from './encoded-graph.js'
import { define, emptyNode, isError, read } from './error-parts.js'
import { findSpecial, isPlain, type Special } from './find-special.js'

/** Errors of errors of errors ...: a chain of thousands would overflow the stack, and nobody reads so far. */
const MAX_ERROR_DEPTH = 100

/** A part that was met. */
interface Part {
  /** What stands for it in the copy. */
  readonly copy: object
  /** Number of its node; -1 for what is no error. */
  readonly node: number
  /** How many calls of toData() it was met under. */
  readonly under: number
  isFinished: boolean
}

/** A part whose parts are being copied. */
interface Open {
  readonly children: readonly unknown[]
  readonly copies: unknown[]
  readonly finish: (copies: readonly unknown[]) => void
}

export class GraphWriter {
  readonly #nodes: ErrorNode[] = []
  readonly #steps: Step[] = []
  readonly #parts = new Map<object, Part>()
  readonly #standIns = new Set<unknown>()
  /** Classes whose data is being copied. */
  readonly #making: string[] = []
  #errorDepth = 0

  /** The message. `root` is what copy() or write() gave. */
  graph(root: EncodedValue): EncodedGraph {
    const isSimple = this.#steps.every(([code]) => code === FILL_ERROR)
    return isSimple ? { root, nodes: this.#nodes } : { root, nodes: this.#nodes, steps: this.#steps }
  }

  /** Throws when a toData() throws, or gives data that holds its own instance. */
  copy(root: unknown): unknown {
    const open: Open[] = [] // not recursive: values may be nested deeper than the stack
    const copy = this.#enter(root, open)
    for (let last = open.at(-1); last; last = open.at(-1)) {
      const { children, copies, finish } = last
      if (copies.length < children.length) copies.push(this.#enter(children[copies.length], open))
      else {
        open.pop()
        finish(copies)
      }
    }
    return copy
  }

  /** Never throws. */
  write(value: unknown): EncodedValue {
    if (isPrimitive(value)) return { value }
    if (isError(value)) return this.#writeError(value)
    return this.#attempt(value) ?? { value: describe(value) }
  }

  /** The copy of an object; undefined, and nothing has happened, when it cannot travel. */
  #attempt(value: unknown): { value: unknown } | undefined {
    const [nodes, steps, making] = [this.#nodes.length, this.#steps.length, this.#making.length]
    const parts = this.#parts.size
    try {
      if (!findSpecial(value)) return { value: structuredClone(value) }
      const copy = this.copy(value)
      const parts = [copy, this.#nodes.slice(nodes), this.#steps.slice(steps)]
      findSpecial(parts) // throws when they are nested too deeply
      structuredClone(parts) // only to see whether it can be done
      return { value: copy }
    } catch {
      this.#nodes.length = nodes
      this.#steps.length = steps
      this.#making.length = making
      for (const part of [...this.#parts.keys()].slice(parts)) this.#parts.delete(part)
      return undefined
    }
  }

  #writeError(error: Error): EncodedValue {
    const known = this.#parts.get(error)
    if (known) return { node: this.#meet(known).node }
    if (this.#errorDepth >= MAX_ERROR_DEPTH) return { value: describe(error) }
    return { node: this.#addError(error).node }
  }

  /** The copy of a value. If that has parts of its own, it is put on the list. */
  #enter(value: unknown, open: Open[]): unknown {
    if (typeof value !== 'object' || value === null) return value
    const known = this.#parts.get(value)
    if (known) return this.#standFor(this.#meet(known))
    if (isError(value))
      return this.#errorDepth >= MAX_ERROR_DEPTH ? describe(value) : this.#standFor(this.#addError(value))
    const registered = registeredClassOf(value)
    if (registered?.toData) return this.#enterData(value, registered, open)
    if (Array.isArray(value)) return this.#enterFields(value, new Array(value.length), open)
    if (value instanceof Map) return this.#enterItems(value, new Map(), open)
    if (value instanceof Set) return this.#enterItems(value, new Set(), open)
    if (registered) return this.#enterFields(value, {}, open, registered.name)
    return isPlain(value) ? this.#enterFields(value, {}, open) : value
  }

  /** Throws when this closes a circle through the data of a toData(). */
  #meet(part: Part): Part {
    if (!part.isFinished && part.under < this.#making.length)
      throw new Error(`what toData() of class ${this.#making.at(-1)} gives holds the instance itself`)
    return part
  }

  /** The object that stands for a part within a copy. */
  #standFor({ copy, node }: Part): object {
    if (node >= 0) this.#nodes[node]!.at = copy
    return copy
  }

  #addPart(value: object, copy: object, node = -1): Part {
    const part = { copy, node, under: this.#making.length, isFinished: false }
    this.#parts.set(value, part)
    return part
  }

  #enterData(value: object, { name, toData }: RegisteredClass, open: Open[]): object {
    const part = this.#addPart(value, {})
    this.#standIns.add(part.copy)
    this.#making.push(name)
    const finish = ([data]: readonly unknown[]) => {
      this.#making.pop()
      this.#steps.push([MAKE, part.copy, name, data])
      part.isFinished = true
    }
    open.push({ children: [callToData(name, toData!, value)], copies: [], finish })
    return part.copy
  }

  #enterFields(value: object, copy: object, open: Open[], className?: string): object {
    const part = this.#addPart(value, copy)
    const keys = Object.keys(value)
    const finish = (copies: readonly unknown[]) => {
      keys.forEach((key, i) => setField(copy, key, copies[i]))
      const held = keys.filter((_, i) => this.#standIns.has(copies[i]))
      if (held.length > 0) this.#steps.push([PUT, copy, ...held])
      if (className !== undefined) this.#steps.push([SET_CLASS, className, copy])
      part.isFinished = true
    }
    open.push({ children: keys.map((key) => (value as Record<string, unknown>)[key]), copies: [], finish })
    return copy
  }

  #enterItems(value: Map<unknown, unknown> | Set<unknown>, copy: typeof value, open: Open[]): object {
    const part = this.#addPart(value, copy)
    const finish = (copies: readonly unknown[]) => {
      addItems(copy, copies)
      if (copies.some((each) => this.#standIns.has(each))) this.#steps.push([PUT_ITEMS, copy])
      part.isFinished = true
    }
    open.push({ children: itemsOf(value), copies: [], finish })
    return copy
  }

  #addError(error: Error): Part {
    const index = this.#nodes.length
    const node = emptyNode(error)
    const part = this.#addPart(error, {}, index)
    this.#standIns.add(part.copy)
    this.#nodes.push(node)
    this.#errorDepth++
    try {
      const registered = registeredClassOf(error)
      if (registered) this.#addClass(node, error, registered, index)
      this.#fill(node, error)
    } finally {
      this.#errorDepth--
    }
    this.#steps.push([FILL_ERROR, index])
    part.isFinished = true
    return part
  }

  /** An error whose toData() fails goes as one that is not registered. */
  #addClass(node: ErrorNode, error: Error, { name, toData }: RegisteredClass, index: number): void {
    if (toData) {
      const data = this.#dataOf(error, name, toData)
      if (!data) return
      node.data = data
      this.#steps.push([MAKE_ERROR, index])
    }
    node.className = name
  }

  #dataOf(error: Error, name: string, toData: (instance: object) => unknown): { value: unknown } | undefined {
    this.#making.push(name)
    try {
      const value = toData(error)
      return isPrimitive(value) ? { value } : this.#attempt(value)
    } catch {
      return undefined
    } finally {
      this.#making.pop()
    }
  }

  #fill(node: ErrorNode, error: Error): void {
    const errors = read(error, 'errors')
    const fields: Record<string, EncodedValue> = {}
    for (const key of Object.keys(error)) {
      const isApart =
        ['cause', 'stack', 'message'].includes(key) || (key === 'errors' && Array.isArray(errors))
      if (!isApart) setField(fields, key, this.write(read(error, key)))
    }
    node.fields = fields
    if ('cause' in error) node.cause = this.write(read(error, 'cause'))
    if (!Array.isArray(errors)) return
    node.errors = errors.map((each) => this.write(each))
    if (Object.prototype.propertyIsEnumerable.call(error, 'errors')) node.showsErrors = true
  }
}

/**
 * The message for a value in which this was found. Throws, with the reason, when a toData() throws or gives data that holds its
 * own instance.
 */
export function writeSpecial(value: unknown, { instances, needsCopy }: Special): EncodedGraph {
  if (needsCopy) {
    const writer = new GraphWriter()
    return writer.graph({ value: writer.copy(value) })
  }
  // Structured clone makes of these what the receiver needs, except for the prototype.
  return {
    root: { value },
    nodes: [],
    steps: [...byClass(instances)].map(([name, list]) => [SET_CLASS, name, ...list]),
  }
}

function byClass(instances: readonly object[]): Map<string, object[]> {
  const lists = new Map<string, object[]>()
  for (const instance of instances) {
    const { name } = classes.byPrototype.get(Object.getPrototypeOf(instance))!
    const list = lists.get(name)
    if (list) list.push(instance)
    else lists.set(name, [instance])
  }
  return lists
}

/** The items of a Map or a Set in a row. */
export function itemsOf(value: Map<unknown, unknown> | Set<unknown>): unknown[] {
  return value instanceof Map ? [...value].flat(1) : [...value]
}

export function addItems(target: Map<unknown, unknown> | Set<unknown>, items: readonly unknown[]): void {
  if (target instanceof Set) for (const item of items) target.add(item)
  else for (let i = 0; i < items.length; i += 2) target.set(items[i], items[i + 1])
}

/** Assigning to `__proto__` would change the prototype. */
export function setField(object: object, key: string, value: unknown): void {
  if (key === '__proto__') define(object, key, value, true)
  else (object as Record<string, unknown>)[key] = value
}

export function isPrimitive(value: unknown): boolean {
  return value === null || !['object', 'function', 'symbol'].includes(typeof value)
}

function registeredClassOf(value: object): RegisteredClass | undefined {
  return classes.count === 0 ? undefined : classes.byPrototype.get(Object.getPrototypeOf(value))
}

function callToData(name: string, toData: (instance: object) => unknown, instance: object): unknown {
  try {
    return toData(instance)
  } catch (error) {
    throw new Error(`toData() of class ${name} has thrown: ${describe(error)}`, { cause: error })
  }
}
