// What real calls of one function were given, whether they changed it, and what they gave: as much as a proof needs.

import { isDeepStrictEqual } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import type { Watched, WatchedFunction } from './messages.js'
import { notPlain } from './plain-data.js'

/** A function with a breakpoint runs slowly. */
const MAX_CALLS = 24
/** Of the arguments or the result of one call. */
const MAX_BYTES = 4_000_000
const MAX_BYTES_IN_ALL = 16_000_000
/** For looking at calls of one function: the app waits meanwhile. */
const MAX_MS = 500
/** An asynchronous call that has not returned by then may have thrown. */
const GIVEN_UP_MS = 500

interface OpenCall {
  readonly given: unknown[]
  readonly before: Buffer
  readonly sinceMs: number
  /** Calls within it, of a recursion. */
  depth: number
}

/** Takes what the call has given, a promise too. */
type Keep = (value: unknown) => void

/** One call at a time; those that come meanwhile are not looked at. */
export function createCallWatch({ isAsync }: WatchedFunction) {
  const seen = nothingSeen()
  let open: OpenCall | null = null
  const { timed, spentMs } = createStopwatch()
  const isDone = () => seen.calls >= MAX_CALLS || spentMs() > MAX_MS
  return {
    seen,
    isDone,
    enter(given: unknown[]): void {
      seen.entered++
      // A function that begins with a loop comes by again in each round, with the same arguments.
      if (open !== null && !isAsync && !isSame(open.given, given)) open.depth++
      if (open !== null && performance.now() - open.sinceMs < GIVEN_UP_MS) return
      if (isDone()) return
      seen.calls++
      if (!timed(() => isData(given, seen))) return
      const before = timed(() => serialize(given))
      if (before.length > MAX_BYTES) return void seen.large++
      open = { given, before, sinceMs: performance.now(), depth: 0 }
      const opened = open
      if (!isAsync) setImmediate(() => open === opened && (open = null)).unref() // it threw
    },
    /** Null: it is none that is looked at. */
    leave(given: unknown[]): Keep | null {
      // Of asynchronous calls several are open at a time: it is the one with the same arguments.
      if (open === null || (isAsync && !isSame(open.given, given))) return null
      if (open.depth-- > 0) return null
      const { before, given: after } = open
      open = null
      seen.returned++
      // As values: the bytes of equal values may differ, by how V8 keeps a number.
      const isAsBefore = () => isDeepStrictEqual(deserialize(before), deserialize(serialize(after)))
      if (!timed(isAsBefore)) seen.changed++
      return (value) => keep(seen, before, value)
    },
  }
}

function nothingSeen(): Watched {
  return { entered: 0, calls: 0, problems: [], returned: 0, changed: 0, gives: [], large: 0, kept: [] }
}

function createStopwatch() {
  let spentMs = 0
  return {
    spentMs: () => spentMs,
    timed<Result>(this: void, act: () => Result): Result {
      const from = performance.now()
      const result = act()
      spentMs += performance.now() - from
      return result
    },
  }
}

function isData(given: readonly unknown[], seen: Watched): boolean {
  const found = given
    .map((value, index) => ({ index, what: notPlain(value) }))
    .filter(({ what }) => what !== null)
  for (const { index, what } of found) {
    const text = `argument ${index + 1} is ${what}`
    if (!seen.problems.includes(text)) seen.problems.push(text)
  }
  return found.length === 0
}

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => Object.is(value, other[index]))
}

function keep(seen: Watched, before: Buffer, value: unknown): void {
  if (value instanceof Promise) {
    value.then(
      (result) => keep(seen, before, result),
      () => {},
    )
    return
  }
  const what = notPlain(value)
  if (what !== null) {
    if (!seen.gives.includes(what)) seen.gives.push(what)
    return
  }
  const result = serialize(value)
  const bytes = seen.kept.reduce((sum, each) => sum + each.given.length + each.result.length, 0)
  if (result.length > MAX_BYTES) seen.large++
  else if (bytes < MAX_BYTES_IN_ALL)
    seen.kept.push({ given: before.toString('base64'), result: result.toString('base64') })
}
