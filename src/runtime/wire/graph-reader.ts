// Rebuilds what graph-writer.ts has written.

import { describe, ThreadwiseError } from '../../errors/errors.js'
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
import { createError, define } from './error-parts.js'
import { addItems, itemsOf, setField } from './graph-writer.js'

/** Of what the value is, for the error that says why it cannot be read. */
export interface Origin {
  /** "An argument", "The result". */
  readonly what: string
  readonly task: string
  /** Where it is read: "in the worker". */
  readonly where: string
}

/**
 * The value. Without `origin` it is what was thrown: a class that is not registered here leaves the plain data, and an error
 * of it is one of the nearest built-in class.
 *
 * @throws TW_ERR_CLASS_NOT_REGISTERED, TW_ERR_NOT_CLONEABLE (a fromData() has thrown), both only with `origin`
 */
export function readGraph(graph: EncodedGraph, origin?: Origin): unknown {
  return new GraphReader(graph, origin).read()
}

class GraphReader {
  readonly #graph: EncodedGraph
  readonly #origin: Origin | undefined
  readonly #errors: (Error | undefined)[]
  /** Stand-in -> what was made for it. */
  readonly #made = new Map<unknown, unknown>()

  constructor(graph: EncodedGraph, origin: Origin | undefined) {
    this.#graph = graph
    this.#origin = origin
    this.#errors = graph.nodes.map(() => undefined)
  }

  read(): unknown {
    const { nodes, steps, root } = this.#graph
    nodes.forEach((node, index) => {
      if (!node.data) this.#setError(index, createOfClass(node))
    })
    if (steps) for (const step of steps) this.#follow(step)
    else nodes.forEach((_, index) => this.#fill(index))
    return this.#valueOf(root)
  }

  #follow(step: Step): void {
    const [code, about] = step
    if (code === FILL_ERROR) this.#fill(about as number)
    else if (code === MAKE_ERROR) this.#makeError(about as number)
    else if (code === SET_CLASS) this.#setClass(about as string, step)
    else if (code === MAKE) this.#make(about as object, step[2] as string, step[3])
    else if (code === PUT) this.#put(about as Record<string, unknown>, step)
    else if (code === PUT_ITEMS) this.#putItems(about as Map<unknown, unknown> | Set<unknown>)
  }

  #valueOf(encoded: EncodedValue): unknown {
    return 'node' in encoded ? this.#errors[encoded.node] : this.#madeFor(encoded.value)
  }

  #madeFor(value: unknown): unknown {
    return this.#made.has(value) ? this.#made.get(value) : value
  }

  #setClass(name: string, [, , ...objects]: Step): void {
    const registered = this.#find(name)
    if (!registered) return
    for (const object of objects) Object.setPrototypeOf(object, registered.prototype)
  }

  #make(standIn: object, name: string, given: unknown): void {
    const data = this.#madeFor(given)
    const registered = this.#find(name)
    this.#made.set(standIn, registered?.fromData ? this.#callFromData(registered, data) : data)
  }

  #put(holder: Record<string, unknown>, [, , ...keys]: Step): void {
    for (const key of keys as string[]) setField(holder, key, this.#madeFor(holder[key]))
  }

  /** All items anew, since they must keep their order. */
  #putItems(holder: Map<unknown, unknown> | Set<unknown>): void {
    const items = itemsOf(holder).map((item) => this.#madeFor(item))
    holder.clear()
    addItems(holder, items)
  }

  #find(name: string): RegisteredClass | undefined {
    const registered = classes.byName.get(name)
    if (!registered && this.#origin)
      throw new ThreadwiseError('TW_ERR_CLASS_NOT_REGISTERED', { ...this.#origin, name })
    return registered
  }

  #callFromData({ name, fromData }: RegisteredClass, data: unknown): unknown {
    try {
      return fromData!(data)
    } catch (error) {
      if (!this.#origin) return data
      const reason = `fromData() of class ${name} has thrown: ${describe(error)}`
      throw new ThreadwiseError('TW_ERR_NOT_CLONEABLE', { ...this.#origin, reason }, { cause: error })
    }
  }

  #setError(index: number, error: Error): void {
    this.#errors[index] = error
    const { at } = this.#graph.nodes[index]!
    if (at) this.#made.set(at, error)
  }

  /** Whatever is wrong with the class, or with its fromData(), must not hide the error. */
  #makeError(index: number): void {
    const node = this.#graph.nodes[index]!
    const { className, data, ...others } = node
    const registered = classes.byName.get(className!)
    try {
      const error = registered?.fromData?.(this.#madeFor(data!.value))
      if (error instanceof Error) {
        define(error, 'stack', node.stack, false)
        return this.#setError(index, error)
      }
    } catch {
      // It becomes an error without that class.
    }
    this.#setError(index, createOfClass(others))
  }

  #fill(index: number): void {
    const { fields, cause, errors, showsErrors, data } = this.#graph.nodes[index]!
    const error = this.#errors[index]!
    const fill = (key: string, value: () => unknown, isShown: boolean) => {
      // An error that was made of data has the fields of its own making.
      if (!data || !Object.hasOwn(error, key)) define(error, key, value(), isShown)
    }
    for (const [key, value] of Object.entries(fields)) fill(key, () => this.#valueOf(value), true)
    if (cause) fill('cause', () => this.#valueOf(cause), false)
    if (errors) fill('errors', () => errors.map((each) => this.#valueOf(each)), showsErrors === true)
  }
}

/** Not by its constructor: nobody knows what that asks for. */
function createOfClass(node: ErrorNode): Error {
  const error = createError(node)
  const registered = node.className === undefined ? undefined : classes.byName.get(node.className)
  if (registered) Object.setPrototypeOf(error, registered.prototype)
  if (error.name !== node.name) define(error, 'name', node.name, false)
  define(error, 'stack', node.stack, false)
  return error
}
