// Looks at the arguments of real calls, in code as it is: breakpoints whose condition calls us, and never holds.
//
// A function with a breakpoint runs slowly, so each is watched for a few calls only.

import { deserialize, serialize } from 'node:v8'
import { isDeepStrictEqual } from 'node:util'
import type { Watched, WatchedFunction } from './messages.js'
import { notPlain } from './plain-data.js'
import { loadedScripts, type V8Session } from './v8-session.js'

const MOST_CALLS = 24
/** What the conditions call. */
const HOOK = 'threadwise.doctor'

interface Location {
  scriptId: string
  lineNumber: number
  columnNumber: number
  type?: string
}

/** The function that ends it, and gives what was seen. */
export function watchCalls(session: V8Session, functions: readonly WatchedFunction[]): () => Watched[] {
  const scripts = loadedScripts(session)
  const watches = functions.map(() => createWatch())
  const breakpoints = functions.map((each, index) => setBreakpoints(session, scripts, each, index))
  const remove = (index: number) => {
    for (const breakpointId of breakpoints[index]!.splice(0))
      session.post('Debugger.removeBreakpoint', { breakpointId })
  }
  const guarded = (act: () => void) => {
    try {
      act()
    } catch {
      // of a value that throws when it is looked at
    }
    return false
  }
  const hook = {
    enter: (index: number, given: ArrayLike<unknown>) =>
      guarded(() => watches[index]!.enter(Array.from(given))),
    leave: (index: number) =>
      guarded(() => {
        watches[index]!.leave()
        // Not at once: V8 is still at the breakpoint.
        const isSeen = watches[index]!.seen.calls >= MOST_CALLS && !functions[index]!.isAsync
        if (isSeen) setImmediate(() => guarded(() => remove(index))).unref()
      }),
  }
  Object.defineProperty(globalThis, Symbol.for(HOOK), { value: hook, configurable: true })
  return () => {
    session.post('Debugger.disable')
    Reflect.deleteProperty(globalThis, Symbol.for(HOOK))
    return watches.map(({ seen }) => seen)
  }
}

function setBreakpoints(
  { post }: V8Session,
  scripts: readonly { scriptId: string; url: string }[],
  { url, start, end, given }: WatchedFunction,
  index: number,
): string[] {
  const script = scripts.findLast((each) => each.url === url)
  if (script === undefined) return []
  const { scriptId } = script
  const at = ({ line, column }: { line: number; column: number }) => ({ scriptId, lineNumber: line, columnNumber: column }) // prettier-ignore
  const range = { start: at(start), end: at(end), restrictToFunction: true }
  const { locations } = post<{ locations: Location[] }>('Debugger.getPossibleBreakpoints', range)
  const [first] = locations
  if (first === undefined) return []
  const hook = `globalThis[Symbol.for("${HOOK}")]`
  const set = (location: Location, condition: string) =>
    post<{ breakpointId: string }>('Debugger.setBreakpoint', { location, condition }).breakpointId
  const returns = locations.filter((each) => each.type === 'return' && each !== first)
  return [
    set(first, `${hook}.enter(${index}, ${given})`),
    ...returns.map((each) => set(each, `${hook}.leave(${index})`)),
  ]
}

/** One call at a time; calls within it, of a recursion, are not looked at. */
function createWatch() {
  const seen: Watched = { entered: 0, calls: 0, problems: [], returned: 0, changed: 0 }
  let open: { given: unknown[]; before: Buffer } | null = null
  return {
    seen,
    enter(given: unknown[]) {
      seen.entered++
      if (seen.calls >= MOST_CALLS || open) return
      seen.calls++
      const problems = given
        .map((value, index) => ({ index, what: notPlain(value) }))
        .filter(({ what }) => what)
      for (const { index, what } of problems) {
        const text = `argument ${index + 1} is ${what}`
        if (!seen.problems.includes(text)) seen.problems.push(text)
      }
      if (problems.length > 0) return
      open = { given, before: serialize(given) }
      const opened = open
      setImmediate(() => open === opened && (open = null)).unref() // it threw, or it is asynchronous
    },
    leave() {
      if (open === null) return
      const { given, before } = open
      open = null
      seen.returned++
      // As values: the bytes of equal values may differ, by how V8 keeps a number.
      if (!isDeepStrictEqual(deserialize(before), deserialize(serialize(given)))) seen.changed++
    },
  }
}
