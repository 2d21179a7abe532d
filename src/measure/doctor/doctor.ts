// Diagnoses an app: which of its functions the event loop is busy with, and which of them can move to a thread.

import { checkOption } from '../../errors/check-options.js'
import type { DoctorProblem, DoctorResult } from '../results/doctor-result.js'
import { diagnoseProcess } from './diagnose-process.js'
import { addCallCounts, findFunctions, type FoundFunction } from './find-functions.js'
import type { AppScript } from './source/app-script.js'
import { freePort } from '../machine/free-port.js'
import { judgeFunctions, type MoveCandidate } from './judge-functions.js'
import { awaitRequest, beginLook, countCalls, lookCalmly, profile, watch, type Calm } from './look.js'
import { resolveDoctor, type DoctorOptions, type ResolvedDoctor } from './options.js'
import { createRequests, type Requests } from './send-requests.js'
import { startApp, type App, type AppPlace, type AppStart } from './start-app.js'
import { diagnoseScript } from './diagnose-script.js'
import { daemonOf } from './dropped-agent.js'
import { predictMove, type Windows } from './predict.js'
import { proveCandidates } from './prove.js'
import { whyNotClean } from './try/app-root.js'
import { tryMoves } from './try-moves.js'
import { shownMessage, shownPath } from './shown-words.js'
import {
  describeLoop,
  emptyResult,
  lostResult,
  problemResult,
  sharesOf,
  nextSteps,
  stepsOfTrial,
  tooFew,
} from './conclude.js'

const START_MS = 20_000
/** Of an app that starts no server: as long as this it may run. */
const SCRIPT_MS = 60_000

/**
 * Starts an app, looks at it under requests, and ends it. Rejects only for a wrong option and when interrupted; what is wrong with the
 * app is told in `problem` and `sentence`.
 *
 * @throws TW_ERR_INVALID_OPTION (as a rejection)
 */
export async function diagnose(options: DoctorOptions): Promise<DoctorResult> {
  const resolved = resolveDoctor(options)
  if (resolved.pid !== null) return diagnoseProcess(resolved, resolved.pid)
  if (resolved.try?.apply) {
    const why = await whyNotClean(process.cwd())
    checkOption(why === null, 'apply', `used in a git repository without changes (${why})`, true)
  }
  resolved.onPhase('starting the app')
  const diagnosis = await lookAtApp(resolved)
  const result = diagnosis.candidates.length === 0 ? diagnosis.result : await prove(diagnosis, resolved)
  const told = { ...result, sentence: result.sentence + tooFew(result.functions) }
  return resolved.try === null ? told : withTrial(told, diagnosis, resolved)
}

async function withTrial(
  result: DoctorResult,
  { candidates, found, scripts }: Diagnosis,
  options: ResolvedDoctor,
): Promise<DoctorResult> {
  const { functions, load } = result
  if (load === null) return result
  try {
    const trial = await tryMoves({ candidates, found, functions, scripts, options, rate: load.perSecond })
    const files = trial.patchFile === null ? result.files : [...result.files, trial.patchFile]
    return { ...result, trial, files, steps: stepsOfTrial(trial, load.paths) ?? result.steps }
  } catch (error) {
    if (!options.signal.aborted) throw error
    return { ...result, complete: false } // what was found before stays
  }
}

/** Without the app, which would take its CPUs. */
async function prove(
  { result, candidates, scripts, windows }: Diagnosis,
  options: ResolvedDoctor,
): Promise<DoctorResult> {
  const { files, ways } = await proveCandidates(candidates, scripts, options)
  const movable = result.functions.filter(({ task }) => task !== null)
  const predictions = windows ? movable.map((row) => predictMove(row, ways.get(row) ?? null, windows)) : []
  return { ...result, files, predictions, steps: nextSteps(result) }
}

interface Diagnosis {
  readonly result: DoctorResult
  /** What is left to be proved. */
  readonly candidates: readonly MoveCandidate[]
  /** All that were found. */
  readonly found: readonly FoundFunction[]
  readonly scripts: readonly AppScript[]
  readonly windows?: Windows
}

const nothingToProve = (result: DoctorResult): Diagnosis => ({
  result,
  candidates: [],
  found: [],
  scripts: [],
})

async function lookAtApp(options: ResolvedDoctor): Promise<Diagnosis> {
  const daemon = daemonOf(options.command)
  if (daemon !== null) return nothingToProve(problemResult(options, 'no-agent', daemon))
  const app = await startApp({ ...options, env: await portOf(options) })
  try {
    const start = await app.whatItIs(startLimitMs(options))
    if (start.kind === 'server') return await diagnoseServer(options, app, start)
    return nothingToProve(await notAServer(options, app, start))
  } catch (error) {
    return nothingToProve(lostResult(options, error, lastError(app)))
  } finally {
    await app.stop()
  }
}

function startLimitMs({ isServer, forSeconds }: ResolvedDoctor): number {
  if (isServer) return START_MS
  return forSeconds === null ? SCRIPT_MS : Math.max(START_MS, forSeconds * 1000)
}

/** A free port, unless its user has chosen one, or sends the requests and has to know it. */
async function portOf({ forSeconds }: ResolvedDoctor): Promise<Record<string, string>> {
  if (forSeconds !== null || process.env.PORT !== undefined) return {}
  return { PORT: String(await freePort()) }
}

async function notAServer(options: ResolvedDoctor, app: App, start: AppStart): Promise<DoctorResult> {
  const fail = (problem: DoctorProblem, sentence: string) => problemResult(options, problem, sentence)
  if (start.kind === 'cluster')
    return fail(
      'cluster',
      'The app forks a cluster, and its processes share the requests. Diagnose one of them: start the app with one process, without cluster.',
    )
  if (start.kind === 'other-server') return fail('never-listens', otherServer(start.protocol))
  const noAgent = start.kind === 'dropped' ? start.sentence : app.whyNoAgent()
  if (noAgent !== null) return fail('no-agent', noAgent)
  if (start.kind === 'running' || start.kind === 'server' || start.kind === 'dropped')
    return fail(
      'never-listens',
      `The app started no HTTP server on a port within ${startLimitMs(options) / 1000} s${lastError(app)}.`,
    )
  const how = start.by ?? (start.code === null ? 'it could not be started' : `exit code ${start.code}`)
  if (options.isServer || start.code !== 0)
    return fail('exits', `The app ended before it listened on a port (${how})${lastError(app)}.`)
  return diagnoseScript(options, start.runs)
}

function otherServer(protocol: 'HTTP/2' | 'no HTTP'): string {
  return protocol === 'HTTP/2'
    ? 'The app listens, but takes HTTP/2 alone, and doctor sends HTTP/1.1. Diagnose it with allowHTTP1: true, or with a server of node:http around the same handler.'
    : 'The app listens, but speaks no HTTP, so doctor can send it no requests. While you send some, look at it by its process id: threadwise doctor --pid N.'
}

/** Of npm these lines say less than those beside them. */
const NPM_NOISE = /^npm (error|ERR!)(\s*$| (code|errno|syscall|path|A complete log) )/

function lastError(app: App): string {
  const lines = app.lastWords().trim().split('\n')
  const line =
    lines.find((text) => /^\s*\w*Error\b.*: /.test(text)) ??
    lines.find((text) => /^npm (error|ERR!)/.test(text) && !NPM_NOISE.test(text)) ??
    lines.at(-1) ??
    ''
  if (line === '') return ''
  return `; it says: ${shownMessage(line.trim().replace(/\.$/, ''))}${NO_TYPESCRIPT.test(line) ? HOW_TYPESCRIPT : ''}`
}

/** The codes of Node.js where it cannot run TypeScript, or not all of it. */
const NO_TYPESCRIPT = /ERR_UNKNOWN_FILE_EXTENSION.*\.[cm]?tsx?\b|ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX/
const HOW_TYPESCRIPT =
  '. Give the command that starts it with what compiles it, such as threadwise doctor -- npx tsx server.ts'

type ServerStart = Extract<AppStart, { kind: 'server' }>

const nameOf = ({ origin, socket }: AppPlace) => socket ?? origin

/** The first place may be that of figures or of health checks. */
function elsewhere({ place, others }: ServerStart): string {
  const names = [...new Set(others.map(nameOf))].filter((name) => name !== nameOf(place))
  if (names.length === 0) return ''
  return ` It listens at ${names.slice(0, 3).join(' and ')} too, and was looked at by requests to ${nameOf(place)} alone, where it listened first.`
}

async function diagnoseServer(options: ResolvedDoctor, app: App, start: ServerStart): Promise<Diagnosis> {
  const { place, agent } = start
  const where = nameOf(place)
  options.onPhase(options.forSeconds === null ? 'warming up' : `waiting for your requests at ${where}`)
  const requests = await Promise.race([createRequests(place, options), app.lost])
  const look = beginLook({ options, agent, requests, lost: app.lost })
  await awaitRequest(look)
  const calm = await lookCalmly(look)
  if (calm.requests === 0) return nothingToProve(noRequests(options, calm, where))
  const load = loadOf(options, calm, requests)
  const counted = await countCalls(look)
  const profiled = await profile(look, counted !== null)
  const found = findFunctions(profiled)
  if (counted !== null) addCallCounts(found, profiled, counted)
  const candidates = judgeFunctions(found.functions, found.scripts, await watch(look, found, profiled))
  const functions = found.functions.map(({ row }) => row)
  const loop = { busy: calm.busy, delayMs: calm.delayMs }
  const told = describeLoop({ loop, found, origin: where, failure: requests.failure() })
  const result = {
    ...emptyResult(options, 'server'),
    node: agent.node,
    loop,
    load,
    shares: sharesOf(found.shares),
    packages: found.packages,
    functions,
    trace: found.trace,
    steps: nextSteps({ functions, shares: sharesOf(found.shares) }),
    ...told,
    sentence: told.sentence + (requests.rate === null ? '' : elsewhere(start)),
  }
  const windows = {
    busy: calm.busy,
    waited: calm.waited,
    others: calm.others,
    profiledSeconds: profiled.seconds,
    busyProfiled: found.shares.busyUs / 1e6 / profiled.seconds,
    requestsPerSecond: calm.requests / calm.seconds,
  }
  return { result, candidates, found: found.functions, scripts: found.scripts, windows }
}

function loadOf({ paths }: ResolvedDoctor, calm: Calm, requests: Requests): DoctorResult['load'] {
  return {
    paths: paths.map(({ path }) => shownPath(path)),
    perSecond: calm.requests / calm.seconds,
    requests: calm.requests,
    failed: Math.round(calm.requests * requests.failedShare()),
    isOwn: requests.rate !== null,
  }
}

function noRequests(options: ResolvedDoctor, { busy, delayMs }: Calm, origin: string): DoctorResult {
  const why =
    options.forSeconds === null
      ? `The app listens at ${origin}, but took no request. Does it speak HTTP/1.1 there?`
      : `The app got no requests at ${origin}: send some while doctor looks, or let it send them with --path and --rate.`
  return { ...problemResult(options, 'no-requests', why), kind: 'server', loop: { busy, delayMs } }
}
