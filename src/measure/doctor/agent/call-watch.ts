// What real calls of one function were given, whether they changed it, and what they gave: as much as a proof needs.

import { isDeepStrictEqual, types } from 'node:util'
import { deserialize, serialize } from 'node:v8'
import { cpuMs } from '../state/cpu-ms.js'
import type { CallerFrame, ThrownValue, Watched, WatchedFunction } from './messages.js'
import { lostInCopy, lostInResult, notPlain, objectsIn } from './plain-data.js'
import { addThrown, describeThrown, type ThrownValues } from './watch-thrown.js'

/** A function with a breakpoint runs slowly. */
const MAX_CALLS = 24
/** Of the arguments or the result of one call. */
const MAX_BYTES = 4_000_000
const MAX_BYTES_IN_ALL = 16_000_000
/** Of CPU, for looking at calls of one function: the app waits meanwhile. */
const MAX_MS = 500
/** An asynchronous call that has not returned by then may have thrown. */
const GIVEN_UP_MS = 500

/** Different stacks of one function. */
const MAX_STACKS = 12

interface OpenCall {
  readonly given: unknown[]
  readonly at: number
  readonly before: Buffer
  readonly sinceMs: number
  /** Calls within it, of a recursion. */
  depth: number
  /** The last value that was thrown within it, which it may have caught. */
  thrown: { readonly value: unknown } | null
}

/** Takes what the call has given, a promise too. */
type Keep = (value: unknown) => void

export interface CallSurroundings {
  callers(): CallerFrame[]
  /** Whether the function can reach an object without its arguments. */
  reached(value: object): boolean
}

/** One call at a time; those that come meanwhile are not looked at. */
export function createCallWatch(
  { isAsync }: Pick<WatchedFunction, 'isAsync'>,
  { callers = () => [], reached = () => false }: Partial<CallSurroundings> = {},
) {
  const seen = nothingSeen()
  const { threw, thrown } = createThrown(seen)
  let open: OpenCall | null = null
  const { timed, spentMs } = createStopwatch()
  const isDone = () => seen.calls >= MAX_CALLS || spentMs() > MAX_MS
  return {
    seen,
    isDone,
    /** Within it. */
    throws: (value: unknown) => void (open && (open.thrown = { value })),
    /** Of all that it threw the classes. */
    end(): ThrownValue[] {
      if (open?.thrown) threw(open.thrown) // it is asynchronous, and has not come back
      return thrown()
    },
    enter(given: unknown[]): void {
      seen.entered++
      // A function that begins with a loop comes by again in each round, with the same arguments.
      if (open !== null && !isAsync && !isSame(open.given, given)) open.depth++
      if ((open !== null && performance.now() - open.sinceMs < GIVEN_UP_MS) || isDone()) return
      if (open?.thrown) threw(open.thrown)
      seen.calls++
      if (!timed(() => look(seen, given, callers))) return
      const before = timed(() => serialize(given))
      if (before.length > MAX_BYTES) return void seen.large++
      open = { given, at: Date.now(), before, sinceMs: performance.now(), depth: 0, thrown: null }
      const opened = open
      if (!isAsync) setImmediate(() => open === opened && (threw(opened.thrown), (open = null))).unref()
    },
    /** Null: it is none that is looked at. */
    leave(given: unknown[]): Keep | null {
      // Of asynchronous calls several are open at a time: it is the one with the same arguments.
      if (open === null || (isAsync && !isSame(open.given, given))) return null
      if (open.depth-- > 0) return null
      const { before, given: after, at } = open
      open = null
      seen.returned++
      if (!timed(() => isAsBefore(before, after))) seen.changed++
      return (value) => keep(seen, { before, after, at, reached, timed, threw }, value)
    },
  }
}

/** Counts calls that throw, and keeps what they throw. */
function createThrown(seen: Watched) {
  const values: ThrownValues = new Map()
  return {
    threw(this: void, thrown: OpenCall['thrown']): void {
      seen.threw++
      if (thrown) addThrown(values, thrown.value)
    },
    thrown: () => describeThrown(values),
  }
}

/** As values: the bytes of equal values may differ, by how V8 keeps a number. */
function isAsBefore(before: Buffer, after: unknown[]): boolean {
  return isDeepStrictEqual(deserialize(before), deserialize(serialize(after)))
}

/** Whether it is given data. */
function look(seen: Watched, given: unknown[], callers: CallSurroundings['callers']): boolean {
  addStack(seen, callers())
  if (!isData(given, seen)) return false
  addAll(seen.losesGiven, lostInCopy(given))
  return true
}

function nothingSeen(): Watched {
  return {
    entered: 0,
    calls: 0,
    problems: [],
    returned: 0,
    changed: 0,
    gives: [],
    large: 0,
    kept: [],
    threw: 0,
    thrown: [],
    shares: [],
    losesGiven: [],
    losesResult: [],
    callers: [],
    usesContext: false,
    state: null,
  }
}

function addAll<Each>(list: Each[], more: readonly Each[]): void {
  for (const each of more) if (!list.some((known) => isDeepStrictEqual(known, each))) list.push(each)
}

function addStack({ callers }: Watched, stack: CallerFrame[]): void {
  const key = JSON.stringify(stack)
  if (callers.length < MAX_STACKS && !callers.some((each) => JSON.stringify(each) === key))
    callers.push(stack)
}

function createStopwatch() {
  let spentMs = 0
  return {
    spentMs: () => spentMs,
    timed<Result>(this: void, act: () => Result): Result {
      const from = cpuMs()
      const result = act()
      spentMs += cpuMs() - from
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

interface Ended {
  readonly before: Buffer
  readonly after: readonly unknown[]
  readonly at: number
  readonly reached: (value: object) => boolean
  readonly timed: ReturnType<typeof createStopwatch>['timed']
  readonly threw: (value: OpenCall['thrown']) => void
}

function keep(seen: Watched, call: Ended, value: unknown): void {
  if (types.isPromise(value)) {
    value.then(
      (result) => keep(seen, call, result),
      (error: unknown) => call.threw({ value: error }),
    )
    return
  }
  const what = notPlain(value)
  if (what !== null) return addAll(seen.gives, [what])
  call.timed(() => addAll(seen.losesResult, lostInResult(value)))
  call.timed(() => addAll(seen.shares, sharedBy(value, call)))
  const result = serialize(value)
  const bytes = seen.kept.reduce((sum, each) => sum + each.given.length + each.result.length, 0)
  if (result.length > MAX_BYTES) seen.large++
  else if (bytes < MAX_BYTES_IN_ALL)
    seen.kept.push({ given: call.before.toString('base64'), result: result.toString('base64'), at: call.at })
}

/** Whose objects a result holds: a caller may compare them, or change them. */
function sharedBy(value: unknown, { after, reached }: Ended): string[] {
  const found = new Set<string>()
  const given = after.map(objectsIn)
  for (const each of objectsIn(value)) {
    const whose = each === value ? 'it is ' : 'it holds '
    given.forEach((objects, index) => {
      if (after[index] === each) found.add(`${whose}argument ${index + 1} itself`)
      else if (objects.has(each)) found.add(`${whose}an object of argument ${index + 1}`)
    })
    const owner = given.findIndex(
      (objects) => ArrayBuffer.isView(each) && [...objects].some((other) => overlaps(each, other)),
    )
    if (owner >= 0 && after[owner] !== each)
      found.add(`${whose}a view of the memory of argument ${owner + 1}`)
    if (reached(each)) found.add(`${whose}an object that is kept beyond the call`)
  }
  return [...found]
}

/** Small Buffers have parts of one memory. */
function overlaps({ buffer, byteOffset, byteLength }: ArrayBufferView, other: object): boolean {
  if (other === buffer) return true
  if (!ArrayBuffer.isView(other) || other.buffer !== buffer) return false
  return byteOffset < other.byteOffset + other.byteLength && other.byteOffset < byteOffset + byteLength
}
