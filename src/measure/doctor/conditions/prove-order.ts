// In which order functions are proved, since there is time for a few: the outermost first, since what it calls goes with it, and those last
// that only pass a call on, such as the handlers of routes.

import type { Watched } from '../agent/messages.js'
import type { AppScript } from '../source/app-script.js'
import { pathOf } from '../source/original-place.js'
import type { ScriptFunction } from '../source/script-functions.js'

/** Of the time of a call. */
const NEARLY_ALL = 0.8

/** What the order depends on. */
export interface Ordered {
  readonly seen: Pick<Watched, 'callers'>
  readonly each: {
    readonly subject: { readonly script: AppScript; readonly found: ScriptFunction | undefined }
    readonly row: { readonly inclusiveShare: number; readonly callMs: number | null }
  }
}

export interface ProveOrder<Candidate> {
  readonly ordered: readonly Candidate[]
  /** Of a function that passes a call on: those that it calls, and whose time its own time is. */
  workersOf(this: void, candidate: Candidate): readonly Candidate[]
}

export function proveOrder<Candidate extends Ordered>(
  candidates: readonly Candidate[],
): ProveOrder<Candidate> {
  const workersOf = (outer: Candidate) =>
    isInline(outer)
      ? candidates.filter(
          (inner) => inner !== outer && calls(outer, inner) && msOf(inner) >= NEARLY_ALL * msOf(outer),
        )
      : []
  const wrappers = new Set(candidates.filter((each) => workersOf(each).length > 0))
  const outers = candidates.filter((each) => !wrappers.has(each))
  const isInner = (inner: Candidate) =>
    inner.seen.callers.length > 0 &&
    inner.seen.callers.every(([caller]) =>
      outers.some((outer) => outer !== inner && caller !== undefined && isWithin(outer, caller)),
    )
  const rankOf = (each: Candidate) => (wrappers.has(each) ? 2 : isInner(each) ? 1 : 0)
  const ordered = candidates.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || b.each.row.inclusiveShare - a.each.row.inclusiveShare,
  )
  return { ordered, workersOf }
}

/** Written where it is given to somebody, alone or in a table. */
function isInline({ each: { subject } }: Ordered): boolean {
  return subject.found!.path.some(({ type }) => type === 'CallExpression' || type === 'NewExpression')
}

function calls(outer: Ordered, inner: Ordered): boolean {
  return inner.seen.callers.some(([caller]) => caller !== undefined && isWithin(outer, caller))
}

function isWithin({ each: { subject } }: Ordered, caller: Watched['callers'][number][number]): boolean {
  const { script, found } = subject
  const offset = script.parsed!.offsetOf(caller.line, caller.column)
  return pathOf(caller.url) === pathOf(script.url) && found!.node.start <= offset && offset < found!.node.end
}

function msOf({ each: { row } }: Ordered): number {
  return row.callMs ?? 0
}
