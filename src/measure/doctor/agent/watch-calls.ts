// Looks at the arguments and results of real calls, in code as it is: breakpoints whose condition calls us.
//
// A function with a breakpoint runs slowly, so each is watched for a few calls only.

import type { Language } from '../state/language.js'
import { createCallWatch } from './call-watch.js'
import { callersNow } from './callers-of.js'
import { watchContextUse } from './context-use.js'
import type { Watched, WatchedFunction } from './messages.js'
import { loadedScripts, withoutOptimizing, type V8Session } from './v8-session.js'
import { watchState } from './watch-state.js'
import { watchThrown, type ScriptPlace } from './watch-thrown.js'

/** What the conditions call. */
const HOOK = 'threadwise.doctor'

interface Location extends ScriptPlace {
  type?: string
}

export interface CallsWatch {
  /** Of each function how many calls were kept, or were looked at and cannot be. */
  readonly soFar: () => number[]
  readonly end: () => Watched[]
}

/** Looks at calls until it is ended. */
export function watchCalls(
  session: V8Session,
  functions: readonly WatchedFunction[],
  language: Language,
): CallsWatch {
  const scripts = loadedScripts(session)
  const states = watchState(functions, language)
  const watches = functions.map((each, index) =>
    createCallWatch(each, { callers: callersNow, reached: (value) => states.reached(index, value) }),
  )
  const context = watchContextUse(functions, (at) => void (watches[at]!.seen.usesContext = true))
  const breakpoints = withoutOptimizing(session, () =>
    functions.map((each, index) => setBreakpoints(session, scripts, each, index)),
  )
  const endThrown = watchThrown(session, { functions, scripts }, (index, value) =>
    watches[index]!.throws(value),
  )
  const remove = (index: number) =>
    breakpoints[index]!.splice(0).forEach((breakpointId) =>
      session.post('Debugger.removeBreakpoint', { breakpointId }),
    )
  const results = readResults(session)
  const leave = (index: number, given: ArrayLike<unknown>) => {
    const keep = watches[index]!.leave(Array.from(given))
    // Not at once: V8 is still at the breakpoint.
    if (watches[index]!.isDone() && !functions[index]!.isAsync)
      setImmediate(() => guarded(() => remove(index))).unref()
    return keep !== null && results.expect(keep)
  }
  const enter = (index: number, given: ArrayLike<unknown>, variables: () => Record<string, unknown>) => {
    watches[index]!.enter(Array.from(given))
    if (!states.isBegun(index)) states.begin(index, variables())
  }
  const removeHook = setHook({
    enter: (...args: Parameters<typeof enter>) => context.unseen(() => guarded(() => enter(...args))),
    leave: (...args: Parameters<typeof leave>) => context.unseen(() => guarded(() => leave(...args))),
    result: (value: unknown) => context.unseen(() => results.take(value)),
  })
  return {
    soFar: () => watches.map(({ seen, isDone }) => (isDone() ? Number.MAX_SAFE_INTEGER : usable(seen))),
    end: () => {
      for (const stop of [results.stop, endThrown, context.end]) stop()
      session.post('Debugger.disable')
      removeHook()
      const found = states.end((index) => watches[index]!.seen.kept.length > 0)
      return watches.map((each, index) => ({ ...each.seen, thrown: each.end(), state: found[index]! }))
    },
  }
}

/** What the conditions of breakpoints call. Returns how it goes away. */
function setHook(hook: object): () => void {
  Object.defineProperty(globalThis, Symbol.for(HOOK), { value: hook, configurable: true })
  return () => void Reflect.deleteProperty(globalThis, Symbol.for(HOOK))
}

/** Calls that say something: those that were kept, and those that show why none can be. */
function usable({ kept, problems, gives, large, calls }: Watched): number {
  return problems.length + gives.length + large > 0 ? calls : kept.length
}

/** Whether V8 is to stop there. */
function guarded(act: () => boolean | void): boolean {
  try {
    return act() === true
  } catch {
    return false // of a value that throws when it is looked at
  }
}

/** A frame at which V8 stops. */
interface Frame {
  scopeChain: { object: { objectId: string } }[]
  returnValue?: { objectId?: string; unserializableValue?: string; value?: unknown }
}

/**
 * A condition does not see what is returned, so V8 stops where a call that is kept returns. It goes on by itself as soon as the listener
 * has ended, since a session in its own thread can hold nothing.
 */
function readResults(session: V8Session) {
  let waiting: ((value: unknown) => void) | null = null
  const onPaused = ({ params }: { params: { callFrames: Frame[] } }) =>
    void guarded(() => {
      const [frame] = params.callFrames
      if (waiting === null || !frame?.returnValue) return // a `debugger` of the user
      const { objectId, unserializableValue, value } = frame.returnValue
      session.post('Runtime.callFunctionOn', {
        functionDeclaration: `function (value) { globalThis[Symbol.for("${HOOK}")].result(value) }`,
        objectId: frame.scopeChain[0]!.object.objectId,
        arguments: [objectId ? { objectId } : unserializableValue ? { unserializableValue } : { value }],
        silent: true,
      })
    })
  session.on('Debugger.paused', onPaused)
  return {
    expect(keep: (value: unknown) => void): true {
      waiting = keep
      return true
    },
    take: (value: unknown) => {
      const keep = waiting
      waiting = null
      guarded(() => keep?.(value))
    },
    stop: () => session.off('Debugger.paused', onPaused),
  }
}

function setBreakpoints(
  { post }: V8Session,
  scripts: readonly { scriptId: string; url: string }[],
  { url, start, end, given, names }: WatchedFunction,
  index: number,
): string[] {
  const script = scripts.findLast((each) => each.url === url)
  if (script === undefined) return []
  const { scriptId } = script
  const at = ({ line, column }: { line: number; column: number }) => ({
    scriptId,
    lineNumber: line,
    columnNumber: column,
  })
  const range = { start: at(start), end: at(end), restrictToFunction: true }
  const { locations } = post<{ locations: Location[] }>('Debugger.getPossibleBreakpoints', range)
  const [first] = locations
  if (first === undefined) return []
  const hook = `globalThis[Symbol.for("${HOOK}")]`
  const set = (location: Location, condition: string) =>
    post<{ breakpointId: string }>('Debugger.setBreakpoint', { location, condition }).breakpointId
  const returns = locations.filter((each) => each.type === 'return' && each !== first)
  return [
    set(first, `${hook}.enter(${index}, ${given}, () => ({ ${names.map(variable).join()} }))`),
    ...returns.map((each) => set(each, `${hook}.leave(${index}, ${given})`)),
  ]
}

/** One that has no value yet, or that V8 does not know there, is left out. */
function variable(name: string): string {
  return `...(() => { try { return { ${JSON.stringify(name)}: ${name} } } catch {} })()`
}
