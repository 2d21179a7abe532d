// What an iterator gave. Iterators are written by hand, too: those of tasks, and those of whoever calls map() and the like.

export type Next = IteratorResult<unknown>

interface Item {
  readonly done?: boolean
  readonly value: unknown
}

/** @throws TypeError as the language's own loops do, where an iterator gives no object. Without it `undefined` would be read on. */
export function checkNext(next: Next): Item {
  if (typeof next === 'object' && next !== null) return next as Item
  throw new TypeError(`Iterator result ${String(next)} is not an object`)
}
