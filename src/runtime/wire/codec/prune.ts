// Writes what an error holds. Nothing may hide the error: whatever cannot travel is replaced by its text, leaf by leaf, and all the rest arrives.
//
//   put(error) -> fields, one by one -> putPruned -> as any other value, but
//                                          |           functions, symbols, sockets, what throws ...: its text
//                                          '---------- what was written of it before it failed is rolled back
//
// What an error shares with the rest of the value is one object on the other side too. Where a part of it was replaced, and the same object is met
// outside of errors, it is looked at once more: there it is refused.
//
// An error of a library often holds half of the program: a request with its socket, the server behind it. So there are bounds.

import { describe } from '../../../errors/errors.js'
import { isError } from '../../../primitives/any-realm.js'
import { defineField, readField } from '../kinds/error-parts.js'
import { nameOf } from '../kinds/platform.js'
import { NotSendable } from './not-sendable.js'
import type { Output } from './output.js'
import { isDelicate } from './shapes.js'

/** Errors of errors of errors ...: nobody reads so far, and a chain of thousands would overflow the stack. */
const MAX_ERRORS = 100
const MAX_DEPTH = 64
const MAX_OBJECTS = 10_000
/** Characters of the text that stands for a leaf, such as the source of a function. */
const MAX_TEXT = 200

/** A value that is to be written as what an error holds. */
export class Pruned {
  readonly #value: unknown

  constructor(value: unknown) {
    this.#value = value
  }

  /** Whatever was thrown, as it is to be written: errors are pruned by themselves. */
  static of(thrown: unknown): unknown {
    if (Pruned.valueOf(thrown) !== thrown) return thrown
    if (typeof thrown === 'object') return thrown === null || isError(thrown) ? thrown : new Pruned(thrown)
    return typeof thrown === 'function' || typeof thrown === 'symbol' ? new Pruned(thrown) : thrown
  }

  static valueOf(thrown: unknown): unknown {
    return typeof thrown === 'object' && thrown !== null && #value in thrown ? thrown.#value : thrown
  }
}

/** Of one message. */
interface Pruning {
  errors: number
  /** Of objects within the innermost error. */
  depth: number
  /** Some leaf was replaced. */
  hasReplaced: boolean
  /** Objects that were written as parts of errors alone. */
  readonly written: Set<object>
}

function pruningOf(out: Output): Pruning {
  out.log()
  return (out.pruning ??= { errors: 0, depth: 0, hasReplaced: false, written: new Set() }) as Pruning
}

/** Writes parts of an error, or of what was thrown. */
export function prune(out: Output, write: () => void): void {
  const pruning = pruningOf(out)
  if (pruning.errors === MAX_ERRORS) throw new NotSendable(`within ${MAX_ERRORS} errors`)
  const { depth } = pruning
  const { isPruning } = out
  pruning.errors++
  pruning.depth = 0
  out.isPruning = true
  try {
    write()
  } finally {
    pruning.errors--
    pruning.depth = depth
    out.isPruning = isPruning
  }
}

/** Writes an object within an error. Never throws. */
export function putPruned(out: Output, value: object, depth: number): void {
  const pruning = pruningOf(out)
  const mark = out.mark()
  pruning.depth++
  try {
    if (out.putKnown(value)) return
    if (!isError(value)) {
      if (pruning.depth > MAX_DEPTH || pruning.written.size >= MAX_OBJECTS) throw new NotSendable('too much')
      pruning.written.add(value)
    }
    out.writers.putNew(out, value, depth)
  } catch {
    out.rollBack(mark)
    pruning.written.delete(value)
    putText(out, value)
  } finally {
    pruning.depth--
  }
}

/** Writes the text of what cannot travel. */
export function putText(out: Output, value: unknown): void {
  pruningOf(out).hasReplaced = true
  const told = describe(value)
  const text = told === '[object Object]' ? `[${nameOf(value as object)}]` : told
  out.putString(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text)
}

/** An object that errors hold was met outside of them, where nothing is replaced. @throws NotSendable */
export function checkWhole(out: Output, value: object, depth: number): void {
  const { hasReplaced, written } = pruningOf(out)
  if (!hasReplaced || !written.delete(value)) return
  const mark = out.mark()
  out.writers.putNew(out, value, depth)
  out.rollBack(mark)
}

/** The fields, each of which is read once, and may throw. */
export function fieldsOf<T extends object>(value: T): T {
  const copy = (Array.isArray(value) ? new Array(value.length) : {}) as T
  for (const key of Object.keys(value)) {
    const field = readField(value, key)
    if (isDelicate(key)) defineField(copy, key, field, true)
    else (copy as Record<string, unknown>)[key] = field
  }
  return copy
}
