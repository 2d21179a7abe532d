// Proves that functions give the same elsewhere: real calls of them are made again in a fresh process, which has nothing of the app but the
// module of the task. What is proved is written, for `threadwise measure` and for the app.

import { dirname, parse, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import type { DoctorFunction } from '../results/doctor-result.js'
import type { KeptCall } from './agent/messages.js'
import type { AppScript } from './find-functions.js'
import { userFiles } from './find-script.js'
import type { Candidate } from './judge-functions.js'
import type { ResolvedDoctor } from './options.js'
import { extractModule, type ModuleFile } from './source/extract-module.js'
import { part, word } from './source/ast.js'
import { pathOf } from './source/original-place.js'
import type { FunctionNode, ParsedScript } from './source/script-functions.js'
import { wordsOfCode } from './source/words-of-code.js'
import { measureWay, type Way } from './proof/measure-way.js'
import { createRedactor } from './proof/redact.js'
import type { ReplayResult } from './proof/replay/replay-messages.js'
import { otherPackage } from './proof/same-packages.js'
import { startReplay } from './proof/start-replay.js'
import { shownMessage } from './shown-words.js'
import { openOutFolder, writeModules, writeWorkload, type OutFolder } from './proof/write-files.js'

const MAX_PROOFS = 8
/** The last one that is begun may take longer. */
const ALL_PROOFS_MS = 22_000
/** Of one function, about. */
const PROOF_MS = 4000
/** With fewer calls that can be made again, equal results say too little. */
const MIN_CALLS = 3
/** A call that takes less than so many ways to a thread gains nothing there. */
const WORTH = 2
/** Of the time of a call. */
const MOSTLY = 0.5
/** Redacted inputs whose calls take otherwise are none that one could measure. */
const SAME_TIME = 0.2

export interface Proofs {
  /** Paths of what was written. */
  readonly files: string[]
  /** What the way of a call to a thread and back takes the event loop; null where it could not be measured. */
  readonly ways: ReadonlyMap<DoctorFunction, Way | null>
}

/** The verdicts and reasons of the candidates are then those of the proof. */
export async function proveCandidates(
  candidates: readonly Candidate[],
  scripts: readonly AppScript[],
  options: ResolvedDoctor,
): Promise<Proofs> {
  const bySize = candidates.toSorted((a, b) => b.each.row.inclusiveShare - a.each.row.inclusiveShare)
  for (const { each } of bySize.slice(MAX_PROOFS))
    Object.assign(each.row, cannotTell(`only the ${MAX_PROOFS} largest are proved`))
  const ways = new Map<DoctorFunction, Way | null>()
  options.onPhase('making real calls again in a fresh process')
  const folder = openOutFolder(resolve(options.out))
  try {
    const prove = createProof({ folder, scripts, options, ways })
    const files: string[] = []
    const until = performance.now() + ALL_PROOFS_MS
    for (const candidate of bySize.slice(0, MAX_PROOFS)) {
      if (performance.now() < until) files.push(...(await prove(candidate)))
      else
        Object.assign(
          candidate.each.row,
          cannotTell('the larger ones took all the time that there is for proofs'),
        )
    }
    return { files: files.map((file) => relative('', file)), ways }
  } finally {
    folder.end()
  }
}

interface Proof {
  readonly folder: OutFolder
  readonly scripts: readonly AppScript[]
  readonly options: ResolvedDoctor
  readonly ways: Map<DoctorFunction, Way | null>
}

function createProof({ folder, scripts, options, ways }: Proof) {
  const taken = new Set<string>()
  const extract = createExtraction(folder, scripts)
  const redact = createRedaction(scripts, options)
  return async ({ each: { subject, row }, kept: all }: Candidate): Promise<string[]> => {
    const kept = all.slice(0, callsWithin(row.callMs))
    const name = nameFor(row, taken)
    const modules = extract(subject.script.parsed!, subject.found!.node, name)
    const problem = problemOf(modules, kept) ?? packageProblem(modules!, subject.script.url, folder.path)
    if (problem !== null) return (Object.assign(row, cannotTell(problem)), [])
    const files = writeModules(folder, modules!)
    const module = pathToFileURL(files[0]!)
    try {
      const inputs = redact(kept, subject.found!.node)
      const result = await startReplay(
        { module: module.href, task: name, calls: kept, redacted: inputs },
        options.signal,
      )
      Object.assign(
        row,
        judgeReplay(result, { calls: kept.length, isAsync: subject.found!.node.async, before: row.reasons }),
      )
      if (row.verdict !== 'move') return []
      const pauseMs = 1000 / (row.callsPerSecond ?? 1)
      const callMs = result?.loadError === null ? result.ms : 0
      const way = await measureWay({ calls: kept, callMs, pauseMs })
      Object.assign(row, judgeWay(row, way?.together ?? null))
      if (row.verdict !== 'move') return []
      ways.set(row, way)
      const isUsable = result?.loadError === null && result.redactedError === null
      const workload = writeWorkload(folder, name, isUsable ? inputs : null)
      row.task = { name, module: relative('', files[0]!), workload: relative('', workload[0]!) }
      return [...files, ...workload]
    } finally {
      if (row.task === null) folder.remove(files)
    }
  }
}

function createExtraction(folder: OutFolder, scripts: readonly AppScript[]) {
  const { find: findScript, pathOf } = userFiles(scripts)
  const pathFrom = (script: ParsedScript) => {
    const path = relative(folder.path, pathOf(script)).split(sep).join('/')
    return path.startsWith('.') ? path : `./${path}`
  }
  return (script: ParsedScript, node: Parameters<typeof extractModule>[1], name: string) =>
    extractModule(script, node, { name, findScript, pathOf: pathFrom })
}

/** Each is made six times: twice for its result, and four times for its time. */
function callsWithin(callMs: number | null): number {
  return Math.max(MIN_CALLS, Math.floor(PROOF_MS / (6 * (callMs ?? 1))))
}

/** Null: no inputs are to be written. */
function createRedaction(scripts: readonly AppScript[], { inputs }: ResolvedDoctor) {
  const { names, choices } = wordsOfCode(scripts.map(({ parsed }) => parsed))
  const redact = createRedactor({
    isRaw: inputs === 'raw',
    isName: (word) => names.has(word),
    isChoice: (text) => choices.has(text),
  })
  return (calls: readonly KeptCall[], { params }: FunctionNode) => {
    const parameters = params.map((node) =>
      word(part(node, 'left') ?? part(node, 'argument') ?? node, 'name'),
    )
    const redacted = ({ given }: KeptCall) =>
      serialize(redact(deserialize(Buffer.from(given, 'base64')), parameters)).toString('base64')
    return inputs === 'none' ? null : calls.map(redacted)
  }
}

function problemOf(modules: ModuleFile[] | null, kept: readonly KeptCall[]): string | null {
  if (modules === null) return 'no module could be made of it'
  if (kept.length >= MIN_CALLS) return null
  return `${kept.length} of its calls could be kept to be made again, and ${MIN_CALLS} are needed`
}

function packageProblem(modules: readonly ModuleFile[], url: string, out: string): string | null {
  const name = otherPackage(modules.map(({ text }) => text).join('\n'), dirname(pathOf(url)), out)
  if (name === null) return null
  return `the package ${name} that its app uses is not the one that the folder ${relative('', out) || out} finds: choose one within the app, with --out`
}

/** A word for its files, that no other task has. */
function nameFor({ name, file }: DoctorFunction, taken: Set<string>): string {
  const stem = parse(file).name.replace(/\W+/g, '_')
  const word = name === 'default' ? stem : (/[\w$]+$/.exec(name)?.[0] ?? '')
  const base = /^[A-Za-z_]\w*$/.test(word) ? word : 'task'
  let free = base
  for (let number = 2; taken.has(free.toLowerCase()); number++) free = `${base}${number}`
  taken.add(free.toLowerCase()) // the same file on some systems
  return free
}

type Judged = Pick<DoctorFunction, 'verdict' | 'reasons'>

interface Replayed {
  readonly calls: number
  readonly isAsync: boolean
  /** Reasons so far. */
  readonly before: readonly string[]
}

const cannotTell = (why: string): Judged => ({ verdict: null, reasons: [`cannot tell: ${why}`] })

function judgeReplay(result: ReplayResult | null, { calls, isAsync, before }: Replayed): Judged {
  const cannot = (reason: string): Judged => ({ verdict: 'cannot', reasons: [reason] })
  if (result === null) return cannotTell('made again in a fresh process, its calls did not end')
  if (result.loadError !== null)
    return cannotTell(`alone its module does not load: ${shownMessage(result.loadError)}`)
  const { same, unsteady, error, tried, waiting } = result
  if (tried !== null) return { verdict: isAsync ? 'waits' : 'cannot', reasons: [`${tried}: that is not done again to prove anything`] } // prettier-ignore
  if (waiting > MOSTLY) return { verdict: 'waits', reasons: [`in ${Math.round(100 * waiting)} % of the time of a call nothing runs in its thread`] } // prettier-ignore
  if (error !== null) return cannot(`alone a real call fails (${error})`)
  if (unsteady > 0)
    return cannot(`its results differ for the same arguments, in ${unsteady} of ${calls} real calls`)
  if (same < calls) return cannot(`alone ${calls - same} of ${calls} real calls give something else: it depends on more than its arguments`) // prettier-ignore
  const proved = `${calls} of ${calls} real calls gave the same alone in a fresh process, and left their arguments as they were` // prettier-ignore
  const packages = before.filter((reason) => reason.includes('the package')).map(usedAlone)
  return { verdict: 'move', reasons: [proved, ...packages, ...notesOn(result)] }
}

/** Of a call, in the time of the event loop. */
function judgeWay({ callMs, verdict, reasons }: DoctorFunction, wayMs: number | null): Judged {
  if (wayMs === null || callMs === null || callMs > WORTH * wayMs) return { verdict, reasons }
  const ms = (time: number) => `${Number(time.toPrecision(2))} ms`
  return {
    verdict: 'too short',
    reasons: [
      `a call takes the event loop ${ms(callMs)}, and the way to a thread and back ${ms(wayMs)}: it is worth it from twice that on`,
    ],
  }
}

function usedAlone(reason: string): string {
  return reason.replace(/: make sure.*/, ', which kept nothing between those calls')
}

function notesOn({ ms, redactedMs, redactedError }: Extract<ReplayResult, { same: number }>): string[] {
  if (redactedError !== null)
    return [`with redacted inputs it fails (${shownMessage(redactedError)}), so none are written: give the workload inputs of your own`] // prettier-ignore
  if (redactedMs === null || Math.abs(redactedMs / ms - 1) <= SAME_TIME) return []
  return [`with its redacted inputs a call takes ${Number((redactedMs / ms).toPrecision(2))} times as long: measure it with inputs of your own`] // prettier-ignore
}
