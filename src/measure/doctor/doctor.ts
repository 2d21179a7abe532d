// Diagnoses an app: which of its functions the event loop is busy with, and which of them can move to a thread.

import { availableParallelism } from 'node:os'
import { machineCpu } from '../machine/machine-cpu.js'
import type { DoctorProblem, DoctorResult } from '../results/doctor-result.js'
import type { CalmWindow, Profiled, Watched } from './agent/messages.js'
import {
  addCounts,
  findFunctions,
  setCount,
  type AppScript,
  type FoundFunction,
  type FoundFunctions,
} from './find-functions.js'
import { functionsToWatch, judgeFunctions, watchedFunction, type Candidate } from './judge-functions.js'
import { resolveDoctor, type DoctorOptions, type ResolvedDoctor } from './options.js'
import { createRequests, type Requests } from './send-requests.js'
import { AppEnded, startApp, type Agent, type App, type AppStart } from './start-app.js'
import { diagnoseScript } from './diagnose-script.js'
import { predict, type Windows } from './predict.js'
import { proveCandidates } from './prove.js'
import { describeLoop, emptyResult, problemResult, sharesOf, stepsOf } from './conclude.js'

const CALM_SECONDS = 5
const PROFILE_SECONDS = 5
const COUNT_SECONDS = 2.5
const WATCH_SECONDS = 4
/** A function runs slowly while its calls are looked at. */
const WATCH_SLOWER = 3
const MOST_WATCHED = 30
/** Between the first request and the first look. */
const SETTLE_SECONDS = 0.5
/**
 * Counting makes V8 forget its optimized code, and of what it optimizes while it profiles it knows which function each part is of. So the
 * profile follows the counts, and its first seconds do not count.
 */
const WARM_UP_SECONDS = 2
/** While calls are counted code runs several times slower. */
const COUNT_SLOWER = 3
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
  resolved.onPhase('starting the app')
  const { result, candidates, scripts, windows } = await lookAtApp(resolved)
  if (candidates.length === 0) return result
  const { files, ways } = await proveCandidates(candidates, scripts, resolved) // without the app, which would take its CPUs
  const movable = result.functions.filter(({ task }) => task !== null)
  const predictions = windows ? movable.map((row) => predict(row, ways.get(row) ?? null, windows)) : []
  return { ...result, files, predictions, steps: stepsOf(result.functions) }
}

interface Diagnosis {
  readonly result: DoctorResult
  /** What is left to be proved. */
  readonly candidates: readonly Candidate[]
  readonly scripts: readonly AppScript[]
  readonly windows?: Windows
}

const nothingToProve = (result: DoctorResult): Diagnosis => ({ result, candidates: [], scripts: [] })

async function lookAtApp(options: ResolvedDoctor): Promise<Diagnosis> {
  const app = await startApp({ ...options, env: portOf(options) })
  try {
    const start = await app.whatItIs(startLimitMs(options))
    if (start.kind === 'server') return await diagnoseServer(options, app, start)
    return nothingToProve(await notAServer(options, app, start))
  } catch (error) {
    if (!(error instanceof AppEnded)) throw error
    return nothingToProve(problemResult(options, 'crashed', `The app ended while it was looked at${lastError(app)}.`)) // prettier-ignore
  } finally {
    await app.stop()
  }
}

function startLimitMs({ isServer, forSeconds }: ResolvedDoctor): number {
  if (isServer) return START_MS
  return forSeconds === null ? SCRIPT_MS : Math.max(START_MS, forSeconds * 1000)
}

/** A free port, unless somebody else sends the requests and has to know it. */
function portOf({ forSeconds }: ResolvedDoctor): Record<string, string> {
  return forSeconds === null ? { PORT: '0' } : {}
}

async function notAServer(options: ResolvedDoctor, app: App, start: AppStart): Promise<DoctorResult> {
  const fail = (problem: DoctorProblem, sentence: string) => problemResult(options, problem, sentence)
  if (start.kind === 'cluster')
    return fail('cluster', 'The app forks a cluster, and its processes share the requests. Diagnose one of them: start the app with one process, without cluster.') // prettier-ignore
  if (start.kind === 'running' || start.kind === 'server')
    return fail('never-listens', `The app started no HTTP server on a port within ${startLimitMs(options) / 1000} s${lastError(app)}.`) // prettier-ignore
  const how = start.by ?? (start.code === null ? 'it could not be started' : `exit code ${start.code}`)
  if (options.isServer || start.code !== 0)
    return fail('exits', `The app ended before it listened on a port (${how})${lastError(app)}.`)
  return diagnoseScript(options, start.runs)
}

function lastError(app: App): string {
  const lines = app.lastWords().trim().split('\n')
  const line = lines.find((text) => /^\s*\w*Error\b.*: /.test(text)) ?? lines.at(-1) ?? ''
  return line === '' ? '' : `; it says: ${line.trim()}`
}

interface ServerStart {
  origin: string
  agent: Agent
}

async function diagnoseServer(
  options: ResolvedDoctor,
  app: App,
  { origin, agent }: ServerStart,
): Promise<Diagnosis> {
  options.onPhase(options.forSeconds === null ? 'warming up' : `waiting for your requests at ${origin}`)
  const requests = await Promise.race([createRequests(origin, options), app.lost])
  const look = { options, app, agent, requests, times: windowsOf(options) }
  const calm = await lookCalmly(look)
  if (calm.requests === 0) return nothingToProve(noRequests(options, calm, origin))
  const { profiled, counted } = await countAndProfile(look)
  const found = findFunctions(profiled)
  addCounts(found, profiled, counted)
  const candidates = judgeFunctions(found.functions, found.scripts, await watch(look, found, profiled))
  const functions = found.functions.map(({ row }) => row)
  const loop = { busy: calm.busy, delayMs: calm.delayMs }
  const result = {
    ...emptyResult(options, 'server'),
    ...{ loop, load: loadOf(options, calm, requests), shares: sharesOf(found.shares), functions },
    trace: found.trace,
    steps: stepsOf(functions),
    ...describeLoop({ loop, found, origin, failure: requests.failure.text }),
  }
  const windows = {
    ...{ busy: calm.busy, waited: calm.waited, others: calm.others, profiledSeconds: profiled.seconds },
    busyProfiled: found.shares.busyUs / 1e6 / profiled.seconds,
  }
  return { result, candidates, scripts: found.scripts, windows }
}

interface Look {
  readonly options: ResolvedDoctor
  readonly app: App
  readonly agent: Agent
  readonly requests: Requests
  readonly times: ReturnType<typeof windowsOf>
}

function lookCalmly({ options, app, agent, requests, times }: Look) {
  options.onPhase('looking at the event loop')
  const machine = machineCpu()
  return requests.during(async () => {
    await pause(app, SETTLE_SECONDS)
    await agent.ask('calm start')
    const [before, own] = [machine(), process.cpuUsage()]
    await pause(app, times.calm)
    const calm = await agent.ask('calm end')
    const { user, system } = process.cpuUsage(own)
    const after = machine()
    const othersMs = before === null || after === null ? null : after - before - calm.cpuMs - (user + system) / 1000 // prettier-ignore
    const cpuMs = calm.seconds * 1000 * availableParallelism()
    return { ...calm, others: othersMs === null ? null : Math.max(0, othersMs) / cpuMs }
  })
}

async function countAndProfile({ options, app, agent, requests, times }: Look) {
  options.onPhase('counting calls')
  const counted = await requests.during(async () => {
    await agent.ask('count start')
    await pause(app, times.count)
    return agent.ask('count end')
  }, COUNT_SLOWER)
  options.onPhase('profiling')
  const profiled = await requests.during(async () => {
    await agent.ask('profile start')
    await pause(app, times.warmUp)
    await agent.ask('profile again')
    await pause(app, times.profile)
    return agent.ask('profile end')
  })
  return { counted, profiled }
}

/** The arguments of real calls, of the functions on which nothing else decides. */
async function watch(look: Look, { functions, scripts }: FoundFunctions, profiled: Profiled) {
  const { options, app, agent, requests, times } = look
  const watched = functionsToWatch(functions, scripts).slice(0, MOST_WATCHED)
  if (watched.length === 0) return new Map<FoundFunction, Watched>()
  options.onPhase('looking at arguments')
  const seen = await requests.during(async () => {
    await agent.ask('watch start', watched.map(({ subject }) => watchedFunction(subject))) // prettier-ignore
    await pause(app, times.watch)
    return agent.ask('watch end')
  }, WATCH_SLOWER)
  const functionOf = (index: number) => watched[index]!
  seen.functions.forEach(({ entered }, index) => {
    if (functionOf(index).subject.found?.node.async)
      setCount(functionOf(index), profiled, { entered, requests: seen.requests })
  })
  return new Map(watched.map((each, index) => [each, seen.functions[index]!]))
}

/** Rejects when the app ends meanwhile. */
function pause(app: App, seconds: number): Promise<void> {
  return Promise.race([new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000)), app.lost])
}

function windowsOf({ forSeconds }: ResolvedDoctor) {
  const part = (share: number, own: number) => (forSeconds === null ? own : share * forSeconds)
  return {
    calm: part(0.3, CALM_SECONDS),
    count: part(0.15, COUNT_SECONDS),
    warmUp: part(0.1, WARM_UP_SECONDS),
    profile: part(0.3, PROFILE_SECONDS),
    watch: part(0.15, WATCH_SECONDS),
  }
}

function loadOf({ paths }: ResolvedDoctor, calm: CalmWindow, requests: Requests): DoctorResult['load'] {
  return {
    paths: paths.map(({ path }) => path),
    perSecond: calm.requests / calm.seconds,
    requests: calm.requests,
    failed: requests.failed(),
    isOwn: requests.rate !== null,
  }
}

function noRequests(options: ResolvedDoctor, { busy, delayMs }: CalmWindow, origin: string): DoctorResult {
  const why =
    options.forSeconds === null
      ? `The app listens at ${origin}, but took no request. Does it speak HTTP/1.1 there?`
      : `The app got no requests at ${origin}: send some while doctor looks, or let it send them with --path and --rate.`
  return { ...problemResult(options, 'no-requests', why), kind: 'server', loop: { busy, delayMs } }
}
