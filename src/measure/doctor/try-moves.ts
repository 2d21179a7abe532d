// Tries what could move on the app itself: a patched copy of it runs beside it, under the same load by turns, and answers are compared.
//
//   plan the change of each function -> all together -> copy, patch, build -> start both -> compare answers -> turns of load -> judge
//   where that fails: each function alone, the largest first

import { readFileSync } from 'node:fs'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { cpuBudget, wholeCpus } from '../../cpu/cpu-budget.js'
import { openCpuLimit } from '../../cpu/limit/limit-child.js'
import { writeOwnOutput } from '../../user/own-output.js'
import { runProgram } from '../checkout/run-program.js'
import type { DoctorFunction, DoctorTrial } from '../results/doctor-result.js'
import { FREE_PORTS_VARIABLE } from './agent/json-lines.js'
import { createAppFiles, type AppFiles } from './change/app-files.js'
import type { ChangeNote } from './change/change-calls.js'
import type { Change, Mover } from './change/plan.js'
import { planChange } from './change/plan-change.js'
import { BUILT, Refused } from './change/refused.js'
import { changedLines, patchOf } from './change/write-patch.js'
import { freePort } from '../machine/free-port.js'
import type { FoundFunction } from './find-functions.js'
import type { MoveCandidate } from './judge-functions.js'
import type { ResolvedDoctor, ResolvedTry } from './options.js'
import { shownMessage } from './shown-words.js'
import type { AppScript } from './source/app-script.js'
import { startApp, type App } from './start-app.js'
import { appRoot, buildCommand, entriesOf, gitRoot, ignoredByGit } from './try/app-root.js'
import { createAsker } from './try/ask.js'
import { createAnswers, type AnswerComparison, type ComparedAnswers } from './try/compare-answers.js'
import { trialFigures, judgeTurns } from './try/judge-turns.js'
import { copyApp, whyTooLarge } from './try/second-folder.js'
import { takeTurns, type RunningVersion } from './try/take-turns.js'
import { counted, judgeTrial, keepsGain, trialSentence } from './try/trial-sentence.js'

const FIRST_ASKS = 6
const MORE_ASKS = 3
const CONNECTIONS = 64
const START_MS = 30_000
/** Further trials begin only within so long: the first one has told most. */
const MORE_TRIALS_MS = 60_000

export interface TryPlan {
  readonly candidates: readonly MoveCandidate[]
  /** All that were found. */
  readonly found: readonly FoundFunction[]
  readonly functions: readonly DoctorFunction[]
  readonly scripts: readonly AppScript[]
  readonly options: ResolvedDoctor
  /** Requests per second, as the diagnosis had. */
  readonly rate: number
}

/** Something about the app stands in the way, and not about a function. */
class CannotTry extends Error {}

/** Rejects only when interrupted. */
export async function tryMoves(plan: TryPlan): Promise<DoctorTrial> {
  const { options } = plan
  const refused = refusedBefore(plan.functions)
  try {
    const root = appRoot(process.cwd())
    const app = createAppFiles(root, plan.scripts, entriesOf(root, options.command))
    const movers = moversOf(plan, refused)
    const changes = changesOf(app, await movable(app, movers, refused), refused)
    if (changes.length === 0) return nothingTried(refused, whyNone(refused))
    return await tryInTurn({ plan, app, refused, startedMs: performance.now() }, changes)
  } catch (error) {
    options.signal.throwIfAborted()
    // The diagnosis stands, also where a disk is full or a folder cannot be read.
    const isNoLimit = (error as { code?: unknown }).code === 'TW_ERR_LIMIT_UNAVAILABLE'
    const isOfSystem = typeof (error as NodeJS.ErrnoException).syscall === 'string'
    if (error instanceof CannotTry || isOfSystem || isNoLimit)
      return nothingTried(refused, `Nothing was tried: ${(error as Error).message}`)
    throw error
  }
}

type RefusedRow = DoctorTrial['refused'][number]

interface Trying {
  readonly plan: TryPlan
  readonly app: AppFiles
  readonly refused: RefusedRow[]
  readonly startedMs: number
}

interface MoverOf extends Mover {
  readonly row: DoctorFunction
}

interface Tryable {
  readonly movers: readonly MoverOf[]
  readonly change: Change
}

function nothingTried(refused: RefusedRow[], sentence: string): DoctorTrial {
  const responses = { compared: 0, equal: 0, masked: 0 }
  return {
    sentence,
    patch: null,
    patchFile: null,
    isApplied: false,
    functions: [],
    forms: [],
    refused,
    before: null,
    after: null,
    ratios: [],
    responses,
  }
}

function whyNone(refused: readonly RefusedRow[]): string {
  const [first] = refused
  if (!first) return 'No patch: no function is proved to be able to move.'
  const { name, file, line, reason } = first
  return reason.startsWith('cannot tell: ')
    ? `No patch, as nothing tells whether ${name} can move (${file}:${line}): ${reason.slice('cannot tell: '.length)}.`
    : `No patch: ${name} cannot move (${file}:${line}): ${reason}.`
}

/** Of the busy time: others need no reason. */
const WORTH_A_REASON = 0.05

/** As a function without a name is called: what a framework is given takes a request, and cannot move. */
const HANDLER = / (\/\S*|callback)$/

function refusedBefore(functions: readonly DoctorFunction[]): RefusedRow[] {
  return functions
    .filter(
      ({ verdict, share, name }) =>
        !/^(move|too short|waits|use the async version)$/.test(verdict ?? '') &&
        share >= WORTH_A_REASON &&
        !HANDLER.test(name),
    )
    .map((row) => {
      const reason = row.reasons.join('; ') || (row.verdict ?? 'it was not judged')
      return { name: row.name, ...(placeIn(reason) ?? { file: row.file, line: row.line }), reason }
    })
}

/** Of who stands in the way, where a reason names it, such as "(server.js:5)". */
function placeIn(reason: string): { file: string; line: number } | null {
  const [, file, line] = /\(([^()\s]+):(\d+)\)/.exec(reason) ?? []
  return file === undefined ? null : { file, line: Number(line) }
}

/** Conditions that a patch keeps, or that it says beside itself. */
const KEPT = /^(await-callers|time|side-effect)$/

function moversOf({ candidates, found }: TryPlan, refused: RefusedRow[]): MoverOf[] {
  const waiting = found.flatMap(({ row, subject }): MoverOf[] => {
    const isWorth = row.verdict === 'use the async version' && row.share >= WORTH_A_REASON
    return isWorth && subject.found
      ? [{ name: row.name, way: 'promise', script: subject.script, node: subject.found.node, row }]
      : []
  })
  const movable = candidates.filter(({ each }) => each.row.verdict === 'move')
  const moving = movable.flatMap(({ each: { row, subject } }): MoverOf[] => {
    const open = row.conditions.find(
      ({ kind, text }) => !KEPT.test(kind) && !/^nobody else changes/.test(text),
    )
    if (!open)
      return [{ name: row.name, way: 'threads', script: subject.script, node: subject.found!.node, row }]
    refused.push({
      name: row.name,
      file: open.file,
      line: open.line,
      reason: `it moves only if ${open.text}`,
    })
    return []
  })
  return [...moving, ...waiting].sort((a, b) => b.row.inclusiveShare - a.row.inclusiveShare)
}

/** Not those whose file the user does not write: a patch of that one is lost with the next build. */
async function movable(app: AppFiles, movers: readonly MoverOf[], refused: RefusedRow[]): Promise<MoverOf[]> {
  const fileOf = ({ script, node }: MoverOf) => {
    const found = app.original(script, node)
    return found && app.scripts.includes(found.script) ? app.nameOf(found.script) : null
  }
  const ignored = await ignoredByGit(
    app.root,
    movers.flatMap((each) => fileOf(each) ?? []),
  )
  return movers.filter((each) => {
    const file = fileOf(each)
    if (file === null || !ignored.includes(file)) return true
    refused.push({ name: each.name, file, line: each.row.line, reason: `git ignores its file: ${BUILT}` })
    return false
  })
}

/** All that can be changed, together; after that each alone. */
function changesOf(app: AppFiles, movers: readonly MoverOf[], refused: RefusedRow[]): Tryable[] {
  const alone = movers.flatMap((mover): Tryable[] => {
    const change = changeOf(app, [mover])
    if (!(change instanceof Refused)) return [{ movers: [mover], change }]
    const { place } = change
    const own = place.line > 1 || place.file !== mover.name ? place : mover.row
    refused.push({ name: mover.name, file: own.file, line: own.line, reason: change.message })
    return []
  })
  if (alone.length < 2) return alone
  const all = alone.flatMap((each) => each.movers)
  const together = changeOf(app, all)
  return together instanceof Refused ? alone : [{ movers: all, change: together }, ...alone]
}

function changeOf(app: AppFiles, movers: readonly MoverOf[]): Change | Refused {
  try {
    return planChange(app, movers)
  } catch (error) {
    if (error instanceof Refused) return error
    throw error
  }
}

/** All together; where that is a gain the largest alone, too, which may be as good; and where it is none each alone. */
async function tryInTurn(trying: Trying, [first, ...others]: readonly Tryable[]): Promise<DoctorTrial> {
  const isLate = () => performance.now() - trying.startedMs > MORE_TRIALS_MS
  const trial = await tryOne(trying, first!)
  const [largest] = others
  if (trial.patch !== null && (largest === undefined || first!.movers.length === 1 || isLate()))
    return offer(trying, trial)
  if (trial.patch !== null) {
    const alone = await tryOne(trying, largest!)
    const isEnough = alone.patch !== null && keepsGain(trial, alone)
    const told = isEnough
      ? `All ${first!.movers.length} that could change gain no more, as far as can be told.`
      : `${largest!.movers[0]!.name} alone gains less.`
    const chosen = isEnough ? alone : trial
    return offer(trying, { ...chosen, sentence: `${chosen.sentence} ${told}` })
  }
  for (const change of others) {
    if (isLate()) break
    const alone = await tryOne(trying, change)
    if (alone.patch !== null) return offer(trying, alone)
  }
  return trial
}

/** Writes the patch. */
async function offer({ plan, app }: Trying, trial: DoctorTrial): Promise<DoctorTrial> {
  const { patch, apply } = plan.options.try!
  const unwritten = writePatch(patch, trial.patch!)
  if (unwritten !== null)
    return { ...trial, sentence: `${trial.sentence} The patch could not be written: ${unwritten}` }
  const problem = apply ? await applyPatch((await gitRoot(app.root))!, patch) : null
  const isApplied = apply && problem === null
  const lines = `The change is ${changedLines(trial.patch!)} lines: ${patch}`
  const rest = isApplied
    ? `The change was applied; it is in ${patch}, too`
    : problem === null
      ? lines
      : `${lines}. It could not be applied: ${problem}`
  return { ...trial, patchFile: patch, isApplied, sentence: `${trial.sentence} ${rest}` }
}

/** Null: it is written. What was found with it stands all the same. */
function writePatch(file: string, patch: string): string | null {
  try {
    writeOwnOutput(file, patch)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

async function tryOne(trying: Trying, { movers, change }: Tryable): Promise<DoctorTrial> {
  const { app, refused } = trying
  const top = (await gitRoot(app.root)) ?? app.root
  const prefix = relative(top, app.root).split(sep).join('/')
  const told = movers.map(({ row }) => [...change.notes, ...keptConditions(row)])
  const notes = [...new Set(told.flat().map(({ file, line, text }) => `${file}:${line}: ${text}`))]
  const files = change.files.map((each) => ({
    ...each,
    file: prefix === '' ? each.file : `${prefix}/${each.file}`,
  }))
  const patch = patchOf(files, notes)
  const names = movers.map(({ name }) => name).join(', ')
  const seen = await runBoth(trying, change, names)
  const tried = {
    forms: change.forms.map((each) => [...each]),
    functions: movers.map(({ way, row: { name, file, line } }, index) => ({
      name,
      file,
      line,
      way,
      notes: told[index]!,
    })),
    ...seen,
  }
  const { example, ...shown } = tried
  const { isWorth, why } = judgeTrial(shown, example)
  if (!isWorth)
    return {
      ...shown,
      refused,
      patch: null,
      patchFile: null,
      isApplied: false,
      sentence: `No patch is offered for ${names}: ${why}. ${counted(seen.responses)}`,
    }
  return {
    ...shown,
    refused,
    patch,
    patchFile: null,
    isApplied: false,
    sentence: trialSentence(
      shown,
      wholeCpus(Math.min(trying.plan.options.try!.cpus ?? Infinity, cpuBudget().cpus)),
    ),
  }
}

/** What a reviewer has to know that the change does not show: its callers wait in it. */
function keptConditions({ conditions }: DoctorFunction): ChangeNote[] {
  const kept = conditions.filter(({ kind }) => kind !== 'await-callers')
  return kept.map(({ text, file, line }) => ({ text, file, line }))
}

/** Null: it is done. */
async function applyPatch(top: string, patch: string): Promise<string | null> {
  const { isDone, problem } = await runProgram('git', ['apply', resolve(patch)], { cwd: top })
  return isDone ? null : problem
}

type Seen = Pick<DoctorTrial, 'before' | 'after' | 'ratios' | 'responses'> & { example: string | null }

async function runBoth({ plan, app }: Trying, change: Change, names: string): Promise<Seen> {
  const { options } = plan
  const how = options.try!
  options.onPhase(`trying ${names}: preparing a second version`)
  const tooLarge = whyTooLarge(app.root)
  if (tooLarge !== null) throw new CannotTry(tooLarge)
  const second = copyApp(app.root, change.files)
  const started: App[] = []
  try {
    if (change.isBuilt || how.build)
      await runCommand(how.build ?? buildCommand(app.root), second.folder, options)
    if (how.setup) await runCommand(how.setup, process.cwd(), options)
    const answers = createAnswers()
    const paths = options.paths.map(({ path }) => path)
    const places = [
      { cwd: process.cwd(), command: options.command, onAnswer: answers.before },
      {
        cwd: join(second.folder, relative(app.root, process.cwd())),
        command: moved(options.command, app.root, second.folder),
        onAnswer: answers.after,
      },
    ]
    const versions: RunningVersion[] = []
    for (const [index, place] of places.entries())
      versions.push(await startVersion({ ...place, options, started, isPatched: index === 1 }))
    const [before, after] = versions as [RunningVersion, RunningVersion]
    const first = await compareFirst({ before, after, answers, paths })
    if (first.unsteady !== null)
      throw new CannotTry(`answers of ${first.unsteady} differ from each other too much to compare them`)
    if (first.failing !== null)
      throw new CannotTry(
        `the app itself answers ${first.failing.path} with ${first.failing.status === 0 ? 'nothing' : `status ${first.failing.status}`} when it runs at another port and beside a second one`,
      )
    if (first.equal < first.compared) return unequal(first)
    if (how.reset) await runCommand(how.reset, process.cwd(), options)
    return await underLoad({ before, after, answers, paths }, plan)
  } finally {
    await Promise.all(started.map((each) => each.stop()))
    second.remove()
  }
}

function unequal({ compared, equal, masked, example }: ComparedAnswers): Seen {
  return { before: null, after: null, ratios: [], responses: { compared, equal, masked }, example }
}

interface Pair {
  readonly before: RunningVersion
  readonly after: RunningVersion
  readonly answers: AnswerComparison
  readonly paths: readonly string[]
}

async function underLoad({ before, after, answers, paths }: Pair, { options, rate }: TryPlan): Promise<Seen> {
  const seed = 1
  const { signal } = options
  const count = options.try!.rounds
  const rounds = await takeTurns(before, after, {
    paths: options.paths,
    rate,
    rounds: count,
    seed,
    signal,
    onRound: (done) => options.onPhase(`both versions by turns: ${done} of ${count}`),
  })
  const { compared, equal, masked, example } = answers.compare()
  return {
    before: trialFigures(
      rounds.map((each) => each.before),
      paths,
      before.memoryBytes(),
    ),
    after: trialFigures(
      rounds.map((each) => each.after),
      paths,
      after.memoryBytes(),
    ),
    ratios: judgeTurns(rounds, paths, seed),
    responses: { compared, equal, masked },
    example,
  }
}

/** One at a time. What answers of the unchanged app differ in may show late, so before they count as different it is asked more often. */
async function compareFirst({ before, after, answers, paths }: Pair): Promise<ComparedAnswers> {
  await askEach([before, after], paths, FIRST_ASKS)
  for (let again = 0; again < MORE_ASKS; again++) {
    const found = answers.compare()
    if (found.equal === found.compared || found.unsteady !== null) return found
    await askEach([before], paths, FIRST_ASKS)
  }
  return answers.compare()
}

async function askEach(
  versions: readonly RunningVersion[],
  paths: readonly string[],
  times: number,
): Promise<void> {
  for (let i = 0; i < times; i++)
    for (const path of paths)
      for (const version of versions) version.onAnswer(path, await version.asker.ask(path))
}

interface VersionPlace {
  readonly cwd: string
  readonly command: readonly string[]
  readonly onAnswer: RunningVersion['onAnswer']
  readonly options: ResolvedDoctor
  readonly started: App[]
  readonly isPatched: boolean
}

async function startVersion({
  cwd,
  command,
  onAnswer,
  options,
  started,
  isPatched,
}: VersionPlace): Promise<RunningVersion> {
  const port = await freePort()
  const { cpus } = options.try!
  const limit = cpus === null ? undefined : await openCpuLimit(cpus)
  const app = await startApp({
    command,
    cwd,
    env: { PORT: String(port), [FREE_PORTS_VARIABLE]: '1' },
    signal: options.signal,
    ...(limit && { limit }),
  })
  started.push(app)
  const which = isPatched ? 'the patched app' : 'the app'
  const start = await app.whatItIs(START_MS)
  if (start.kind !== 'server') throw new CannotTry(`${which} started no server: ${lastLine(app)}`)
  const { place, agent } = start
  if (place.socket !== null)
    throw new CannotTry(
      `the app listens at the socket ${place.socket}, so two versions of it cannot run side by side: let it listen at process.env.PORT`,
    )
  const { method, headers, body } = options
  const lost = <Value>(promise: Promise<Value>) => Promise.race([promise, app.lost])
  return {
    asker: createAsker(place.origin, { method, headers, body }, CONNECTIONS),
    onAnswer,
    calmStart: () => lost(agent.ask('calm start')),
    calmEnd: () => lost(agent.ask('calm end')),
    delayStart: () => lost(agent.ask('delay start')),
    delayEnd: () => lost(agent.ask('delay end')),
    memoryBytes: () => residentBytes(agent.pid),
  }
}

function lastLine(app: App): string {
  const lines = app.lastWords().trim().split('\n')
  return (
    shownMessage((lines.find((line) => /Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim()) ||
    'it said nothing'
  )
}

function residentBytes(pid: number): number | null {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return kilobytes === undefined ? null : Number(kilobytes) * 1024
  } catch {
    return null // no Linux
  }
}

async function runCommand(
  words: ResolvedTry['build'],
  cwd: string,
  { signal, onPhase }: ResolvedDoctor,
): Promise<void> {
  if (words === null)
    throw new CannotTry('the app is built, and what builds it is not known: say it with --build')
  onPhase(`running ${words.join(' ')}`)
  const { isDone, problem } = await runProgram(words[0]!, words.slice(1), { cwd, signal })
  signal.throwIfAborted()
  if (!isDone) throw new CannotTry(`${words.join(' ')} failed: ${shownMessage(problem)}`)
}

/** Words of the command that name files of the app. */
function moved(command: readonly string[], root: string, folder: string): string[] {
  return command.map((word) => {
    const way = isAbsolute(word) ? relative(root, word) : '..'
    return way.startsWith('..') ? word : join(folder, way)
  })
}
