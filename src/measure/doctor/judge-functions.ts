// The verdict on each function: whether another thread could run it, by its source and by what real calls were given.

import type { DoctorFunction, DoctorVerdict } from '../results/doctor-result.js'
import type { Watched } from './agent/messages.js'
import type { FoundFunction } from './find-functions.js'
import type { AppScript } from './source/app-script.js'
import { userFiles } from './source/find-script.js'
import type { FindScript } from './source/imports.js'
import { isAccessor, judgeSource, type SourceJudgement } from './effects/judge-source.js'

/** A shorter call is hardly worth the way to a thread and back. */
const MIN_CALL_MS = 0.05
/** With fewer calls seen, what they were given says too little. */
const MIN_CALLS = 3
/** Of a function's time: then the native function decides. */
const MOSTLY = 0.5

type Judgement = [verdict: DoctorVerdict | null, ...reasons: string[]]

const NOT_LOOKED_AT: Judgement = [
  null,
  'cannot tell: its source allows it, and what real calls are given is looked at only in a server that doctor starts',
]

/** What next build writes, and next dev: each module is a function there, and others may be written into it. */
const IN_NEXT = /[\\/]\.next[\\/]/
const BUNDLED_BY_NEXT =
  'cannot tell: Next.js has bundled it, and what runs is not what you wrote: put what is slow there into a task module by docs/frameworks.md, and compare that with threadwise measure'

/** Functions whose real calls have to be seen: for a verdict, or to count them. */
export function functionsToWatch(
  functions: readonly FoundFunction[],
  scripts: readonly AppScript[],
): FoundFunction[] {
  const findScript = userFiles(scripts).find
  return functions.filter((each) => {
    const { found } = each.subject
    return found !== undefined && (found.node.async || judgeUnseen(each, findScript) === null)
  })
}

/** Of computing in a call: worth a function of its own. */
const WORTH_A_FUNCTION_MS = 2

/** A function that could move, as far as its source and its calls tell: what is left is to prove it. */
export interface MoveCandidate {
  readonly each: FoundFunction
  readonly seen: Watched
}

/** @param watched null: no calls were looked at, as of a script */
export function judgeFunctions(
  functions: readonly FoundFunction[],
  scripts: readonly AppScript[],
  watched: ReadonlyMap<FoundFunction, Watched> | null,
): MoveCandidate[] {
  const findScript = userFiles(scripts).find
  const candidates: MoveCandidate[] = []
  for (const each of functions) {
    const seen = watched?.get(each)
    const judge = watched === null ? () => NOT_LOOKED_AT : judgeSeen
    const [verdict, ...reasons] = judgeUnseen(each, findScript) ?? judge(each, seen, findScript)
    each.row.verdict = verdict
    each.row.reasons = reasons
    const isProvable =
      verdict === 'move' || (verdict === 'move after change' && isOnlyPackages(each, seen, findScript))
    if (isProvable && seen) candidates.push({ each, seen })
  }
  return candidates
}

/** What packages keep is not seen in the source, but in what the same calls give. */
function isOnlyPackages(
  { subject, row }: FoundFunction,
  watched: Watched | undefined,
  findScript: FindScript,
): boolean {
  const { script, found } = subject
  const { isOnlyPackages } = judgeSource(script.parsed!, found!.node, findScript)
  const source = isOnlyPackages === true && !isAccessor(found!.path)
  return source && watched !== undefined && changesOf(watched).length === 0 && row.callMs !== null
}

/** By the source and the profile alone; null: its calls decide. */
function judgeUnseen({ subject, row, time }: FoundFunction, findScript: FindScript): Judgement | null {
  const { found, script } = subject
  if (script.parsed === null) return [null, 'its file could not be read as JavaScript']
  if (found === undefined) return ['cannot', 'it is the top level of its file, which runs once']
  const [native, us] = [...time.inNodeUs].sort(([, a], [, b]) => b - a)[0] ?? ['', 0]
  if (us > MOSTLY * time.inclusiveUs && isSynchronous(native))
    return [
      'use the async version',
      `${percent(us / time.inclusiveUs)} of its time is ${asyncSentence(native)}`,
    ]
  if (row.callMs !== null && row.callMs < MIN_CALL_MS)
    return [
      'too short',
      `a call takes less than ${MIN_CALL_MS * 1000} us, about what the way to a thread and back takes`,
    ]
  if (IN_NEXT.test(script.url)) return [null, BUNDLED_BY_NEXT]
  const judgement = judgeSource(script.parsed, found.node, findScript)
  if (judgement.verdict === 'cannot') return ['cannot', ...judgement.reasons]
  if (judgement.verdict === 'waits') return ['waits', ...judgement.reasons, ...computingPart(row)]
  return null
}

/** What a function that waits does by itself before or after that. */
function computingPart({ callMs, share, inclusiveShare }: DoctorFunction): string[] {
  const ownMs = callMs === null || inclusiveShare === 0 ? 0 : (callMs * share) / inclusiveShare
  if (ownMs < WORTH_A_FUNCTION_MS) return []
  return [
    `it computes for ${Number(ownMs.toPrecision(2))} ms in a call beside that: make that part a function of its own, which might move`,
  ]
}

function isSynchronous(name: string): boolean {
  return name === 'syncBufferWrapper' || name.endsWith('Sync')
}

function asyncSentence(name: string): string {
  if (name === 'syncBufferWrapper' || name.startsWith('zlib'))
    return 'a ...Sync function of zlib; the one with a callback runs without a thread of yours'
  return `${name}; ${name.replace(/Sync$/, '')} does it without a thread of yours`
}

function judgeSeen(
  { subject, row }: FoundFunction,
  watched: Watched | undefined,
  findScript: FindScript,
): Judgement {
  const { found, script } = subject
  const source: SourceJudgement = judgeSource(script.parsed!, found!.node, findScript)
  if (!watched || watched.calls < MIN_CALLS)
    return [
      null,
      `cannot tell: ${watched?.calls ?? 0} of its calls were seen, and ${MIN_CALLS} are needed: send more, with --rate, or look for longer at requests of your own, with --for`,
    ]
  if (watched.problems.length > 0)
    return ['cannot', ...watched.problems.map((each) => `it takes more than data: ${each}`)]
  if (watched.large > 0 && watched.kept.length < MIN_CALLS)
    return [
      null,
      'cannot tell: its calls are given, or give, more than 4 MB each, and copying that takes the event loop long',
    ]
  const changes: string[] = []
  if (isAccessor(found!.path)) changes.push('it is a constructor, a getter or a setter: make it a function')
  changes.push(...source.reasons)
  changes.push(...changesOf(watched))
  if (changes.length > 0) return ['move after change', ...changes]
  if (watched.returned < MIN_CALLS)
    return [null, 'cannot tell: whether it changes its arguments could not be seen']
  return move(row, watched)
}

function changesOf({ changed, returned, gives }: Watched): string[] {
  return [
    ...(changed > 0
      ? [`it changed its arguments in ${changed} of ${returned} calls: return what it makes of them`]
      : []),
    ...gives.map((what) => `it returns ${what}: return data`),
  ]
}

function move({ callMs }: DoctorFunction, { calls }: Watched): Judgement {
  if (callMs === null) return [null, 'cannot tell: its calls were not counted']
  return [
    'move',
    `its arguments were data in ${calls} of ${calls} calls, which left them as they were`,
    'it uses nothing else but constants and functions like it',
  ]
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`
}
