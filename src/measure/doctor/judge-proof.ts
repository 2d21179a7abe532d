// The verdict on a function whose real calls were made again in a fresh process.

import type { Node } from 'acorn'
import type { DoctorCondition, DoctorFunction } from '../results/doctor-result.js'
import { identityConditions, outsideConditions, type Subject } from './conditions/conditions-of.js'
import { errorConditions, reachedErrors, type Errors } from './thrown/judge-errors.js'
import { judgeState, named, type StateJudgement } from './conditions/judge-state.js'
import { unrunCalls } from './conditions/unrun-calls.js'
import type { ReplayResult, UnrunPart } from './proof/replay/replay-messages.js'
import type { ModuleFile } from './written/format-module.js'
import type { FindScript } from './source/imports.js'
import { freeReferences } from './source/free-names.js'
import { childNodes, type ParsedScript } from './source/script-functions.js'
import { shownMessage } from './shown-words.js'
import type { Difference } from './state/compare-states.js'

/** Of the time of a call. */
const MOSTLY = 0.5
/** Redacted inputs whose calls take otherwise are none that one could measure. */
const SAME_TIME = 0.2
/** Below this a difference is noise. */
const MIN_APART_MS = 0.5
const MIN_TIMED_CALLS = 10

export interface JudgedProof extends Pick<DoctorFunction, 'verdict' | 'reasons' | 'conditions'> {
  /** Somebody else has set these up, or changed them: with that in the module it may be the same. */
  readonly differences: readonly Difference[]
}

export interface Proved extends Subject {
  readonly name: string
  readonly script: ParsedScript
  readonly result: ReplayResult | null
  /** Null: nobody knows. */
  readonly unrun: readonly UnrunPart[] | null
  readonly calls: number
  /** Who has to await it. */
  readonly waits: readonly DoctorCondition[]
  readonly modules: readonly ModuleFile[]
  readonly findScript: FindScript
  /** What it throws, and whether its module registers the classes of that. */
  readonly errors: Errors
  readonly registers: boolean
}

export const withoutVerdict = (why: string): JudgedProof => ({
  ...NOTHING,
  verdict: null,
  reasons: [`cannot tell: ${why}`],
})
export const cannot = (reason: string): JudgedProof => ({ ...NOTHING, verdict: 'cannot', reasons: [reason] })
const NOTHING = { reasons: [], conditions: [], differences: [] }

export function judgeProof(proved: Proved): JudgedProof {
  const { result, seen, waits } = proved
  if (result === null)
    return withoutVerdict('made again in a fresh process, its calls did not end in the time that there was')
  if (result.loadError !== null)
    return withoutVerdict(`alone its module does not load: ${shownMessage(result.loadError)}`)
  const state = judgeState({
    ...proved,
    app: seen.state,
    alone: result.state,
    made: madeOf(proved),
    usesNothing: usesNothing(proved),
    literals: literalsOf(proved),
  })
  return judgeAlone(proved, result, state) ?? judgeStates(proved, result, { state, waits })
}

/** Null: its calls gave the same. */
function judgeAlone(
  { node, calls }: Proved,
  result: Extract<ReplayResult, { same: number }>,
  state: StateJudgement,
): JudgedProof | null {
  const { same, masked, unsteady, error, tried, waiting, asked } = result
  if (tried !== null)
    return {
      ...NOTHING,
      verdict: node.async ? 'waits' : 'cannot',
      reasons: [`${tried}: that is not done again to prove anything`],
    }
  if (waiting > MOSTLY)
    return {
      ...NOTHING,
      verdict: 'waits',
      reasons: [`in ${Math.round(100 * waiting)} % of the time of a call nothing runs in its thread`],
    }
  if (state.cannot !== null) return cannot(state.cannot)
  const { differences } = state
  if (error !== null)
    return { ...cannot(`alone a real call fails (${error})${because(differences)}`), differences }
  const isMasked = asked.length > 0 && state.cannotTell === null && same + masked === calls
  if (unsteady > 0 && !isMasked)
    return cannot(`its results differ for the same arguments, in ${unsteady} of ${calls} real calls`)
  if (same < calls && !isMasked)
    return {
      ...cannot(
        `alone ${calls - same} of ${calls} real calls give something else: it depends on more than its arguments${because(differences)}`,
      ),
      differences,
    }
  return null
}

function because(differences: readonly Difference[]): string {
  return differences.length === 0 ? '' : `; set up or changed elsewhere: ${named(differences)}`
}

interface Open {
  readonly state: StateJudgement
  readonly waits: readonly DoctorCondition[]
}

function judgeStates(
  proved: Proved,
  result: Extract<ReplayResult, { same: number }>,
  { state, waits }: Open,
): JudgedProof {
  const { seen, calls, source, place } = proved
  if (state.cannotTell !== null) return withoutVerdict(state.cannotTell)
  const conditions = [
    ...waits,
    ...identityConditions(proved),
    ...errorConditions(proved.errors, proved.registers, proved),
    ...reachedErrors(seen.state?.graph.errors ?? [], place),
    ...outsideConditions(proved, result.asked, result.printed),
    ...state.conditions,
    ...unrunCalls(source.reached, { ...proved, parts: proved.unrun }),
  ]
  const { differences } = state
  if (differences.length > 0)
    return {
      verdict: 'move after change',
      reasons: [`set up in its task module too what is set up or changed elsewhere: ${named(differences)}`],
      conditions,
      differences,
    }
  const but = result.same < calls ? ', but for what depends on the time or on chance' : ''
  const proof = `${calls} of ${calls} real calls gave the same alone in a fresh process${but}, and left their arguments as they were`
  const reached =
    result.state === null ? [] : ['what it can reach is the same there, before those calls and after them']
  return { verdict: 'move', reasons: [proof, ...reached, ...notesOn(result, calls)], conditions, differences }
}

function madeOf({ source }: Proved): ReadonlyMap<string, string> {
  return new Map(
    source.notes.flatMap(({ kind, name, from }) => (kind === 'made' && from ? [[name, from] as const] : [])),
  )
}

function literalsOf({ source }: Proved): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (node: Node) => {
    if (node.type === 'Literal' && typeof (node as unknown as { value: unknown }).value === 'string')
      found.add(String((node as unknown as { value: unknown }).value))
    for (const child of childNodes(node)) visit(child)
  }
  for (const { node } of source.reached) visit(node)
  return found
}

function usesNothing({ script, node, source }: Proved): boolean {
  return (
    source.reached.length === 1 &&
    freeReferences(script, node).every(({ resolved }) => !resolved?.defs.length)
  )
}

function notesOn(
  { ms, redactedMs, redactedError }: Extract<ReplayResult, { same: number }>,
  calls: number,
): string[] {
  if (redactedError !== null)
    return [
      `with redacted inputs it fails (${shownMessage(redactedError)}), so none are written: give the workload inputs of your own`,
    ]
  const isNoise = redactedMs === null || calls < MIN_TIMED_CALLS || Math.abs(redactedMs - ms) < MIN_APART_MS
  if (isNoise || Math.abs(redactedMs / ms - 1) <= SAME_TIME) return []
  return [
    `with its redacted inputs a call takes ${Number((redactedMs / ms).toPrecision(2))} times as long: measure it with inputs of your own`,
  ]
}
