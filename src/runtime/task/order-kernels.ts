// What workers do of a sort by a comparator of the task module. They answer with places, not items: these stay the caller's own.

import { isPromise, type TaskFunction } from './task-function.js'

type Items = ArrayLike<unknown>

export interface OrderedPair {
  readonly first: Items
  readonly second: Items
}

/** The places of the items, in the order that they should have. Items that are equal keep theirs. */
export function orderOf(compare: TaskFunction, items: Items): Uint32Array {
  const places = Array.from({ length: items.length }, (_, i) => i)
  return Uint32Array.from(places.sort((a, b) => difference(compare, items[a], items[b])))
}

/** The same of two lists that are in order: the places of the second come after those of the first. */
export function mergeOrder(compare: TaskFunction, { first, second }: OrderedPair): Uint32Array {
  const order = new Uint32Array(first.length + second.length)
  let [a, b] = [0, 0]
  while (a < first.length && b < second.length) {
    const isFirst = difference(compare, first[a], second[b]) <= 0
    order[a + b] = isFirst ? a++ : first.length + b++
  }
  while (a < first.length) order[a + b] = a++
  while (b < second.length) order[a + b] = first.length + b++
  return order
}

/** For each place: whether the item of the first list there may come before that of the second. */
export function comesFirst(compare: TaskFunction, { first, second }: OrderedPair): boolean[] {
  return Array.from(first, (item, i) => difference(compare, item, second[i]) <= 0)
}

function difference(compare: TaskFunction, a: unknown, b: unknown): number {
  const value: unknown = compare(a, b)
  if (isPromise(value)) throw new TypeError('A comparator must give a number. This one has given a promise.')
  return Number(value) || 0 // NaN says nothing of the order, as for Array.prototype.sort
}
