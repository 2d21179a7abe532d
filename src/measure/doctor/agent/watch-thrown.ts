// What watched functions throw, also where a handler of the user catches it: V8 stops at each exception, and the class of the thrown value is
// looked at.
//
// An exception belongs to the call whose function is on the stack then. Whether it leaves the function is known when the call returns, or does
// not: the last one of a call that does not is what it threw.

import { openClosures } from '../state/closures.js'
import { hasPrivateFields } from '../state/parts-of.js'
import { constructorOf, isNative, isObject } from '../state/properties.js'
import type { ThrownValue, WatchedFunction } from './messages.js'
import type { V8Session } from './v8-session.js'

/** Different classes of one function. */
const MAX_CLASSES = 8

/** Values by their class; one that has none stands for itself. */
export type ThrownValues = Map<unknown, unknown>

export function addThrown(values: ThrownValues, value: unknown): void {
  const made = isObject(value) ? constructorOf(value) : typeof value
  if (values.size < MAX_CLASSES && !values.has(made)) values.set(made, value)
}

/** Where their classes are written. Those of the language are left out. */
export function describeThrown(values: ThrownValues): ThrownValue[] {
  const own = [...values].filter(([made]) => typeof made === 'function' && !isNative(made))
  if (own.length === 0) return []
  const closures = openClosures()
  try {
    return own.map(([made, value]) => {
      const scriptId = closures?.insideOf([made as object])[0]?.scriptId ?? ''
      return {
        name: String((made as { name: unknown }).name),
        url: closures?.urlOf(scriptId) ?? '',
        text: Function.prototype.toString.call(made),
        hasPrivate: hasPrivateFields(value as object),
      }
    })
  } finally {
    closures?.end()
  }
}

/** A place in a script, from 0. */
export interface ScriptPlace {
  readonly scriptId: string
  readonly lineNumber: number
  readonly columnNumber: number
}

interface Remote {
  readonly objectId?: string
  readonly unserializableValue?: string
  readonly value?: unknown
}

interface Paused {
  readonly reason: string
  readonly data?: Remote
  readonly callFrames: readonly { location: ScriptPlace; scopeChain: { object: { objectId: string } }[] }[]
}

interface Subjects {
  readonly functions: readonly WatchedFunction[]
  readonly scripts: readonly { scriptId: string; url: string }[]
}

/** What takes a thrown value. */
const HOOK = 'threadwise.doctor.thrown'

/**
 * Until it is ended, V8 stops at each exception of the app. It goes on by itself as soon as the listener has ended.
 *
 * @param onThrown is told of each watched function within which it is thrown
 * @returns ends it
 */
export function watchThrown(
  session: V8Session,
  { functions, scripts }: Subjects,
  onThrown: (index: number, value: unknown) => void,
): () => void {
  const bodies = functions.map((each) => bodyOf(scripts, each))
  let taken: unknown
  Object.defineProperty(globalThis, Symbol.for(HOOK), {
    value: (value: unknown) => void (taken = value),
    configurable: true,
  })
  const onPaused = ({ params }: { params: Paused }) => {
    const found = throwers(params, bodies)
    if (found.length === 0 || !params.data) return
    try {
      taken = undefined
      session.post('Runtime.callFunctionOn', takeValue(params, params.data))
      for (const index of found) onThrown(index, taken)
    } catch {
      // of a value that throws when it is looked at
    } finally {
      taken = undefined
    }
  }
  session.on('Debugger.paused', onPaused)
  session.post('Debugger.setPauseOnExceptions', { state: 'all' })
  return () => {
    session.post('Debugger.setPauseOnExceptions', { state: 'none' })
    session.off('Debugger.paused', onPaused)
    Reflect.deleteProperty(globalThis, Symbol.for(HOOK))
  }
}

function takeValue({ callFrames }: Paused, { objectId, unserializableValue, value }: Remote): object {
  return {
    functionDeclaration: `function (value) { globalThis[Symbol.for("${HOOK}")](value) }`,
    objectId: callFrames[0]!.scopeChain[0]!.object.objectId,
    arguments: [objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value }],
    silent: true,
  }
}

interface Body {
  readonly start: ScriptPlace
  readonly end: ScriptPlace
}

/** Null: its script is gone. */
function bodyOf(scripts: Subjects['scripts'], { url, start, end }: WatchedFunction): Body | null {
  const script = scripts.findLast((each) => each.url === url)
  if (!script) return null
  const at = ({ line, column }: WatchedFunction['start']) => ({
    scriptId: script.scriptId,
    lineNumber: line,
    columnNumber: column,
  })
  return { start: at(start), end: at(end) }
}

/** Those of the list that are on the stack. Empty: V8 has stopped for another reason, too. */
function throwers({ reason, callFrames }: Paused, bodies: readonly (Body | null)[]): number[] {
  if (!/^(exception|promiseRejection)$/.test(reason)) return []
  return bodies.flatMap((body, at) =>
    body && callFrames.some(({ location }) => isWithin(location, body)) ? [at] : [],
  )
}

function isWithin(place: ScriptPlace, { start, end }: Body): boolean {
  return place.scriptId === start.scriptId && !isBefore(place, start) && isBefore(place, end)
}

function isBefore(one: ScriptPlace, other: ScriptPlace): boolean {
  return (
    one.lineNumber < other.lineNumber ||
    (one.lineNumber === other.lineNumber && one.columnNumber < other.columnNumber)
  )
}
