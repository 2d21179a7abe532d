// Proves one function: writes its module, makes its calls again there, and where something was set up elsewhere does so once more with that.

import type { Node } from 'acorn'
import { dirname, parse, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { deserialize, serialize } from 'node:v8'
import type { DoctorCondition, DoctorFunction } from '../results/doctor-result.js'
import type { KeptCall } from './agent/messages.js'
import { allCallers, type AllCallers } from './conditions/all-callers.js'
import { createPlaces, type Places } from './source/places.js'
import { setUpsFor, type SetUp } from './conditions/set-ups-for.js'
import type { AppScript } from './source/app-script.js'
import { userFiles, type UserFiles } from './source/find-script.js'
import type { MoveCandidate } from './judge-functions.js'
import { cannot, withoutVerdict, judgeProof, type JudgedProof } from './judge-proof.js'
import type { ResolvedDoctor } from './options.js'
import { measureWay, type Way } from './proof/measure-way.js'
import type { ReplayJob } from './proof/replay/replay-messages.js'
import { createRedactor } from './proof/redact.js'
import { otherPackage } from './proof/same-packages.js'
import { findUnrunParts, startBareReplay, startReplay, type ReplayEnds } from './proof/start-replay.js'
import { commitModules, writeModules, writeWorkload, type OutFolder } from './proof/write-files.js'
import { extractFiles } from './written/extract-module.js'
import { formatModule, PLAIN_STYLE, type ModuleFile } from './written/format-module.js'
import { createTaskWriter, type WriteTask } from './written/task-files.js'
import { errorsOf } from './thrown/judge-errors.js'
import { canRegister, registrationsFor, type Registrations } from './thrown/registrations.js'
import { part, word } from './source/ast.js'
import { judgeSource } from './effects/judge-source.js'
import { pathOf } from './source/original-place.js'
import type { FunctionNode, ParsedScript } from './source/script-functions.js'
import { wordsOfCode, type WordsOfCode } from './source/words-of-code.js'

/** Of one function, about. */
const PROOF_MS = 2500
/** With fewer calls that can be made again, equal results say too little. */
const MIN_CALLS = 3
/** A call that takes less than so many ways to a thread gains nothing there. */
const WORTH = 2
/** Such a call is longer than the way of what is not large. */
const SURELY_WORTH_MS = 2

export interface Proof {
  readonly folder: OutFolder
  readonly scripts: readonly AppScript[]
  readonly options: ResolvedDoctor
  readonly ways: Map<DoctorFunction, Way | null>
}

interface Tools extends Proof {
  readonly files: UserFiles
  readonly places: Places
  readonly extract: ReturnType<typeof createExtraction>
  readonly redact: ReturnType<typeof createRedaction>
  /** Whether the user's code names a key so: then it is no data. */
  readonly isName: (word: string) => boolean
  readonly writeTask: WriteTask
}

export interface Prover {
  /** Judges by who calls it; false: one of them cannot wait, and there is nothing to prove. */
  hasCallersThatWait(this: void, candidate: MoveCandidate): boolean
  /** One, or none where it cannot move. */
  prove(this: void, candidate: MoveCandidate): Promise<ProvedCandidate[]>
  /** Writes the files of what can move, and gives their paths. `isInTime`: what the way of a call takes is measured. */
  write(this: void, proved: ProvedCandidate, isInTime: boolean): Promise<string[]>
}

export interface ProvedCandidate {
  readonly candidate: MoveCandidate
  readonly name: string
  readonly tried: Tried
}

/** Proves one after the other. */
export function createProof(proof: Proof): Prover {
  const taken = new Set<string>()
  const files = userFiles(proof.scripts)
  const places = createPlaces(proof.scripts, files)
  const extract = createExtraction(proof.folder.path, files)
  const words = wordsOfCode(proof.scripts.map(({ parsed }) => parsed))
  const isName = (word: string) => words.names.has(word)
  const redact = createRedaction(words, proof.options)
  const tools = {
    ...proof,
    files,
    places,
    extract,
    isName,
    redact,
    writeTask: createTaskWriter(proof.scripts),
  }
  const callers = new Map<MoveCandidate, AllCallers>()
  return {
    hasCallersThatWait(candidate) {
      const { row, subject } = candidate.each
      const called = { name: row.name, script: subject.script.parsed!, node: subject.found!.node }
      const found = allCallers(called, candidate.seen, tools)
      callers.set(candidate, found)
      if (found.cannot !== null) Object.assign(row, cannot(found.cannot))
      return found.cannot === null
    },
    prove: (candidate) =>
      proveOne(
        tools,
        { ...candidate, waits: callers.get(candidate)?.conditions ?? [] },
        nameFor(candidate.each.row, taken),
      ),
    write: (proved, isInTime) => writeTask(tools, proved, isInTime),
  }
}

async function proveOne(tools: Tools, candidate: WithCallers, name: string): Promise<ProvedCandidate[]> {
  const { row } = candidate.each
  const first = await tryModule(tools, candidate, { name, setUps: [] })
  const { node } = candidate.each.subject.found!
  const isOwn = ({ start }: Node) => start >= node.start && start < node.end
  const found = setUpsFor(first.judged.differences, { ...tools, isOwn })
  const again =
    found.setUps.length > 0 ? await tryModule(tools, candidate, { name, setUps: found.setUps }) : null
  const isBetter = again !== null && /^(move|cannot)$/.test(again.judged.verdict ?? '')
  const tried = isBetter ? again : first
  const written = [...new Set([...first.written, ...(again?.written ?? [])])]
  const { verdict, reasons, conditions } = tried.judged
  Object.assign(row, { verdict, reasons, conditions: [...conditions, ...found.conditions] })
  const isMove = row.verdict === 'move'
  tools.folder.remove(isMove ? written.filter((file) => !tried.written.includes(file)) : written)
  return isMove ? [{ candidate, name, tried }] : []
}

async function tryModule(
  tools: Tools,
  { each, seen, waits }: WithCallers,
  { name, setUps }: Pick<Attempt, 'name' | 'setUps'>,
): Promise<Tried> {
  const { subject, row } = each
  const script = subject.script.parsed!
  const { node } = subject.found!
  const kept = seen.kept.slice(0, callsWithin(row.callMs))
  const source = judgeSource(script, node, tools.files.find)
  const errors = errorsOf({ reached: source.reached, values: seen.thrown }, tools.places, tools.files.find)
  const classes = registrationsFor(errors, script, tools.files)
  const isRegistering = canRegister(tools.folder.path)
  const modules = tools.extract(script, node, { name, setUps, classes: isRegistering ? classes : null })
  const problem = problemOf(modules, kept) ?? packageProblem(modules!, subject.script.url, tools.folder.path)
  const tried = { kept, setUps, classes }
  if (problem !== null) return { ...tried, ...NOT_RUN, judged: withoutVerdict(problem) }
  const written = writeModules(tools.folder, modules!)
  const inputs = tools.redact(kept, node)
  const text = script.text.slice(node.start, node.end)
  const job = { module: pathToFileURL(written[0]!).href, task: name, text, calls: kept, redacted: inputs }
  const result = await startReplay(job, tools.options)
  const judged = await judgeUnrun(job, tools.options, {
    name: row.name,
    node,
    script,
    source,
    errors,
    seen,
    result,
    calls: kept.length,
    places: tools.places,
    place: { file: row.file, line: row.line },
    waits,
    modules: modules!,
    findScript: tools.files.find,
    registers: isRegistering || tools.options.write !== null,
    isName: tools.isName,
  })
  const { ms: callMs = 0, same = 0 } = result?.loadError === null ? result : {}
  const isUsable = result?.loadError === null && result.redactedError === null
  return { ...tried, judged, written, callMs, same, inputs: isUsable ? inputs : null }
}

/** Which parts no call comes by takes a replay of its own, and only matters where one of them could call a package. */
async function judgeUnrun(
  job: ReplayJob,
  ends: ReplayEnds,
  proof: Omit<Parameters<typeof judgeProof>[0], 'unrun'>,
): Promise<JudgedProof> {
  const [all, nothing] = [judgeProof({ ...proof, unrun: [] }), judgeProof({ ...proof, unrun: null })]
  if (all.conditions.length === nothing.conditions.length) return all
  return judgeProof({ ...proof, unrun: await findUnrunParts(job, ends) })
}

const NOT_RUN = { written: [], callMs: 0, same: 0, inputs: null }

/** With who has to await it. */
interface WithCallers extends MoveCandidate {
  readonly waits: readonly DoctorCondition[]
}

async function writeTask(tools: Tools, proved: ProvedCandidate, isInTime: boolean): Promise<string[]> {
  const {
    candidate: { each },
    name,
    tried,
  } = proved
  const { row } = each
  const { folder, ways } = tools
  const { written, kept, callMs, inputs } = tried
  // The verdict on a short call rests on the way; that on a longer one does not, and a prediction can do without.
  const isNeeded = row.callMs !== null && row.callMs < SURELY_WORTH_MS
  const pauseMs = isInTime ? 1000 / (row.callsPerSecond ?? 1) : null
  const way = isInTime || isNeeded ? await measureWay({ calls: kept, callMs, pauseMs }) : null
  Object.assign(row, judgeWay(row, way?.together ?? null))
  if (row.verdict !== 'move') {
    folder.remove(written)
    return []
  }
  ways.set(row, way)
  const committed = await commit(tools, proved)
  const module = (committed?.paths ?? written)[0]!
  const workload = writeWorkload(folder, { task: name, module, inputs })
  row.task = { name, module: relative('', module), workload: relative('', workload[0]!) }
  return [...written, ...(committed?.paths ?? []), ...workload]
}

interface Committed {
  /** The module of the task first. */
  readonly paths: readonly string[]
  readonly isTypeScript: boolean
}

/** Null: nobody asked for it, or it was not possible, which is told. */
async function commit(tools: Tools, { candidate, name, tried }: ProvedCandidate): Promise<Committed | null> {
  const { options } = tools
  if (options.write === null) return null
  const { subject, row } = candidate.each
  const folder = resolve(options.write)
  const stays = (why: string) => (row.reasons.push(`${why}: its module stays in ${options.out}`), null)
  const plan = { name, folder, setUps: tried.setUps, registers: tried.classes.registers }
  const task = tools.writeTask(subject.script, subject.found!.node, plan)
  if (task === null) return stays(`its source could not be taken into a module in ${options.write}`)
  const paths = commitModules(folder, task.files)
  if (paths === null) return stays(`${options.write} has something of its name that is not of doctor`)
  if (await givesTheSame(tools, { path: paths[0]!, name, tried }, task.isTypeScript))
    return { paths, isTypeScript: task.isTypeScript }
  tools.folder.remove(paths)
  return stays(`from ${options.write} its calls give something else`)
}

interface CommittedTask extends Pick<ProvedCandidate, 'name' | 'tried'> {
  readonly path: string
}

/** What is written is another text than what was proved. TypeScript is the same text with types, where this Node.js runs none. */
async function givesTheSame(
  { options }: Tools,
  { path, name, tried }: CommittedTask,
  isTypeScript: boolean,
): Promise<boolean> {
  if (isTypeScript && !runsTypeScript) return true
  const calls = tried.kept.slice(0, MIN_CALLS)
  const result = await startBareReplay(
    { module: pathToFileURL(path).href, task: name, text: '', calls, redacted: null },
    options,
  )
  const isSame = result?.loadError === null && result.error === null && result.tried === null
  return isSame && (tried.same < tried.kept.length || result.same === calls.length)
}

const runsTypeScript =
  (process.features as { typescript?: unknown }).typescript !== undefined &&
  (process.features as { typescript?: unknown }).typescript !== false

interface Attempt {
  readonly name: string
  readonly setUps: readonly SetUp[]
  /** Null: none is registered. */
  readonly classes: Registrations | null
}

interface Tried {
  readonly judged: JudgedProof
  /** Paths of the modules, that of the task first. */
  readonly written: readonly string[]
  readonly kept: readonly KeptCall[]
  readonly setUps: readonly SetUp[]
  readonly classes: Registrations
  /** Milliseconds of a call. */
  readonly callMs: number
  /** Of the calls those that gave the same. */
  readonly same: number
  /** Null: none that could be measured. */
  readonly inputs: string[] | null
}

function createExtraction(folder: string, { find: findScript, pathOf }: UserFiles) {
  const pathFrom = (script: ParsedScript) => {
    const path = relative(folder, pathOf(script)).split(sep).join('/')
    return path.startsWith('.') ? path : `./${path}`
  }
  return (script: ParsedScript, node: FunctionNode, { name, setUps, classes }: Attempt) => {
    const files = extractFiles(script, node, { name, findScript, pathOf: pathFrom, setUps, ...classes })
    return files && files.map((file) => formatModule(file, pathFrom(file.script), PLAIN_STYLE))
  }
}

/** Each is made six times: twice for its result, and four times for its time. */
function callsWithin(callMs: number | null): number {
  return Math.max(MIN_CALLS, Math.floor(PROOF_MS / (6 * (callMs ?? 1))))
}

/** Null: no inputs are to be written. */
function createRedaction({ names, choices }: WordsOfCode, { inputs }: ResolvedDoctor) {
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
  return `${kept.length} of its calls could be kept to be made again, and ${MIN_CALLS} are needed: send more, with --rate, or look for longer at requests of your own, with --for`
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

/** Of a call, in the time of the event loop. */
function judgeWay(
  { callMs, verdict, reasons }: DoctorFunction,
  wayMs: number | null,
): Pick<DoctorFunction, 'verdict' | 'reasons'> {
  if (wayMs === null && callMs !== null && callMs < SURELY_WORTH_MS)
    return {
      verdict: null,
      reasons: ['cannot tell: whether it is worth the way to a thread and back could not be measured'],
    }
  if (wayMs === null || callMs === null || callMs > WORTH * wayMs) return { verdict, reasons }
  const ms = (time: number) => `${Number(time.toPrecision(2))} ms`
  return {
    verdict: 'too short',
    reasons: [
      `a call takes the event loop ${ms(callMs)}, and the way to a thread and back ${ms(wayMs)}: it is worth it from twice that on`,
    ],
  }
}
