// Piscina.move(): a value that is to be moved, and what of it. The symbols are those of piscina, which users implement.

import { move as moveNatively } from '../task/move.js'

/** Property of an object: what of it is moved. */
export const transferableSymbol: unique symbol = Symbol.for('Piscina.transferable') as never
/** Property of an object: the value that arrives. */
export const valueSymbol: unique symbol = Symbol.for('Piscina.valueOf') as never
/** Property of an argument: what a task queue of the user is told of the call. */
export const queueOptionsSymbol: unique symbol = Symbol.for('Piscina.queueOptions') as never

/** By name: the task file has another copy of this module than the worker. */
const movable = Symbol.for('threadwise.piscina.movable')

/** What is moved of it (one object, or a list of them), and the value that arrives. */
export interface Transferable {
  /** What is moved. */
  readonly [transferableSymbol]: object
  /** What arrives. */
  readonly [valueSymbol]: object
}

/**
 * Marks an argument or a result to be moved instead of copied.
 *
 * @param value an ArrayBuffer, a view of one, a MessagePort, a web stream, or an object with `transferableSymbol` and `valueSymbol`
 * @returns what to give to `run()`, or to return from the task
 */
export function move<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const wrapped = isTransferable(value) ? value : wrap(value)
  Object.defineProperty(wrapped, movable, { value: true, configurable: true })
  return wrapped as T
}

function wrap(value: object): Transferable {
  const moved = ArrayBuffer.isView(value) ? value.buffer : value
  return {
    get [transferableSymbol]() {
      return moved
    },
    get [valueSymbol]() {
      return value
    },
  }
}

/** The value itself, with what move() was given of it marked for the way that it takes now. */
export function unwrapMoved(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(movable in value)) return value
  const { [transferableSymbol]: moved, [valueSymbol]: own } = value as unknown as Transferable
  moveNatively(moved)
  return own
}

function isTransferable(value: object): value is Transferable {
  return transferableSymbol in value && valueSymbol in value
}
