// The user's functions of a profile: their place, their share of the busy time, how often they are called and how long a call takes.

import type { Profiler } from 'node:inspector'
import type { DoctorFunction, DoctorPackage, DoctorTrace } from '../results/doctor-result.js'
import type { CountedWindow, CountedCalls, Profiled } from './agent/messages.js'
import { packageTimes } from './package-times.js'
import { profileShares, type FunctionTime, type ProfileShares } from './profile/profile-shares.js'
import type { AppScript } from './source/app-script.js'
import { heldName } from './source/function-name.js'
import { pathOf, placesOf, shortPath, type OriginalPlace } from './source/original-place.js'
import { shownUrl } from './shown-words.js'
import { traceProfile, type Frames } from './trace-profile.js'
import { parseScript, type ScriptFunction } from './source/script-functions.js'
import { createOriginals, type Originals } from './written/original-scripts.js'

/** Below this share a function is not worth a line, by itself and with all that it calls. */
const MIN_OWN = 0.01
const MIN_INCLUSIVE = 0.05

/** What V8 names a function by. */
export interface AppFunction {
  readonly script: AppScript
  readonly frame: Profiler.ProfileNode['callFrame']
  readonly place: OriginalPlace
  /** Undefined: the top level of the file, or a file that was not parsed. */
  readonly found: ScriptFunction | undefined
}

export interface FoundFunction {
  readonly subject: AppFunction
  readonly time: FunctionTime<AppFunction>
  readonly row: DoctorFunction
}

export interface FoundFunctions {
  readonly shares: ProfileShares<AppFunction>
  readonly functions: FoundFunction[]
  readonly scripts: readonly AppScript[]
  readonly trace: DoctorTrace
  readonly packages: DoctorPackage[]
}

export function findFunctions(profiled: Profiled): FoundFunctions {
  const scripts = new Map(
    profiled.scripts.map((script): [string, AppScript] => [
      script.scriptId,
      { ...script, parsed: parseScript(script.text), placeOf: placesOf(script) },
    ]),
  )
  const subjectOf = subjectsOf(scripts)
  const originals = createOriginals()
  const shares = profileShares(profiled.profile, subjectOf)
  const share = (us: number) => (shares.busyUs > 0 ? us / shares.busyUs : 0)
  const functions = shares.functions
    .map((time): FoundFunction => {
      const { key: subject } = time
      const row: DoctorFunction = {
        name: nameOf(subject, originals),
        file: shortPath(subject.place.file),
        line: subject.place.line,
        share: share(time.ownUs),
        inclusiveShare: share(time.inclusiveUs),
        callMs: null,
        callsPerSecond: null,
        verdict: null,
        reasons: [],
        conditions: [],
        task: null,
      }
      return { subject, time, row }
    })
    .filter(({ row }) => row.share >= MIN_OWN || row.inclusiveShare >= MIN_INCLUSIVE)
    .sort((a, b) => b.row.share - a.row.share || b.row.inclusiveShare - a.row.inclusiveShare)
  const trace = traceProfile(profiled.profile, framesOf(subjectOf, originals))
  const packages = packageTimes(profiled.profile, (frame) => subjectOf(frame) !== null)
  return { shares, functions, scripts: [...scripts.values()], trace, packages }
}

function framesOf(subjectOf: ReturnType<typeof subjectsOf>, originals: Originals): Frames {
  return {
    nameOf(frame) {
      const subject = subjectOf(frame)
      return subject && nameOf(subject, originals)
    },
    placeOf(frame) {
      const subject = subjectOf(frame)
      if (subject) return `${shortPath(subject.place.file)}:${subject.place.line}`
      return (
        /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(frame.url.replaceAll('\\', '/'))?.[1] ?? shownUrl(frame.url)
      )
    },
  }
}

/** By script and position: two functions may have the same name. */
function subjectsOf(scripts: ReadonlyMap<string, AppScript>) {
  const subjects = new Map<string, AppFunction | null>()
  return (frame: Profiler.ProfileNode['callFrame']): AppFunction | null => {
    const script = scripts.get(frame.scriptId)
    if (script === undefined) return null
    const key = `${frame.scriptId}:${frame.lineNumber}:${frame.columnNumber}`
    const known = subjects.get(key)
    if (known !== undefined) return known
    const place = script.placeOf(frame.lineNumber, frame.columnNumber)
    const { parsed } = script
    const found = parsed?.at(parsed.offsetOf(frame.lineNumber, frame.columnNumber))
    const subject = place.isUsers ? { script, frame, place, found } : null
    subjects.set(key, subject)
    return subject
  }
}

function nameOf(subject: AppFunction, originals: Originals): string {
  const { frame, found, script } = subject
  const written = originalName(subject, originals)
  if (written !== null) return written
  if (frame.functionName !== '') return frame.functionName.replace(/^(module\.)?exports\./, '') // as V8 names what CommonJS exports
  const held = found && heldName(found.path)
  if (held) return held
  return found === undefined && script.parsed !== null ? '(top level)' : '(anonymous)'
}

/** Where a compiler has taken the name away, or has given a short one; null: it has not. */
function originalName({ frame, found, script, place }: AppFunction, originals: Originals): string | null {
  if (!found || place.file === pathOf(script.url)) return null
  const original = originals.functionOf(script, found.node)
  const written = original?.script.functions.find(({ node }) => node === original.node)
  if (!original || !written) return null
  const name = written.node.id?.name ?? heldName(written.path)
  const head = original.script.text.slice(written.path.at(-2)?.start ?? 0, written.node.body.start)
  return isWordIn(head, frame.functionName.replace(/^.*[ .]/, '')) || name === 'constructor' ? null : name
}

function isWordIn(text: string, name: string): boolean {
  const escaped = name.replace(/[^\w]/g, '\\$&')
  return name !== '' && new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`).test(text)
}

/**
 * Calls of each, from a window in which calls were counted: as many for each request as there, times the requests of the profile. What comes
 * by itself, of timers and queues, was counted without requests, and comes at the same pace in all windows.
 */
export function addCallCounts(
  { functions }: FoundFunctions,
  profiled: Profiled,
  counted: CountedCalls,
): void {
  const { quiet, busy } = counted
  const scale = busy.requests > 0 ? profiled.requests / busy.requests : 0
  for (const { subject, row, time } of functions) {
    const alone = quiet === null ? 0 : callsOf(subject, quiet) / quiet.seconds
    const forRequests = Math.max(0, callsOf(subject, busy) - alone * busy.seconds)
    // Its last call in the quiet time, or in that of the requests, may be in the other one.
    const isAlone = alone > 0 && forRequests <= Math.max(1.5, 0.15 * alone * busy.seconds)
    const calls = (isAlone ? 0 : forRequests * scale) + alone * profiled.seconds
    if (calls === 0) continue
    row.callsPerSecond = calls / profiled.seconds
    row.callMs = time.inclusiveUs / 1000 / calls
  }
}

/** Of a function whose calls were counted one by one, in a window with so many requests. */
export function setCount(
  { row, time }: FoundFunction,
  profiled: Profiled,
  { entered, requests }: { entered: number; requests: number },
): void {
  if (entered === 0 || requests === 0) return
  const calls = (entered * profiled.requests) / requests
  row.callsPerSecond = calls / profiled.seconds
  row.callMs = time.inclusiveUs / 1000 / calls
}

/** A script has another id in another run, and keeps its URL. */
function callsOf({ script, found }: AppFunction, { scripts }: CountedWindow): number {
  const { parsed } = script
  if (found === undefined || parsed === null) return 0
  return scripts
    .filter(({ url }) => url === script.url)
    .flatMap(({ functions }) => functions)
    .filter(({ ranges: [range] }) => range && parsed.at(range.startOffset)?.node === found.node)
    .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0)
}
