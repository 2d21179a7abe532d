// Where the items of a stream come from: what a task has returned, as an iterator.

import { ThreadwiseError } from '../errors.js'

export interface Source {
  readonly iterator: Iterator<unknown> | AsyncIterator<unknown>
  readonly isAsync: boolean
}

/** @throws TW_ERR_NOT_ITERABLE */
export function sourceOf(value: unknown, task: string): Source {
  if (typeof value === 'object' && value !== null) {
    const { [Symbol.asyncIterator]: openAsync, [Symbol.iterator]: open } = value as Partial<
      AsyncIterable<unknown> & Iterable<unknown>
    >
    if (typeof openAsync === 'function') return { iterator: openAsync.call(value), isAsync: true }
    if (typeof open === 'function') return { iterator: open.call(value), isAsync: false }
  }
  throw new ThreadwiseError('TW_ERR_NOT_ITERABLE', { task, received: value })
}
