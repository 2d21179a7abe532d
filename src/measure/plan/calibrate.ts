// Finds out what requests cost one process: alone, one at a time, and then under the load that is asked for.
//
//   alone    single requests: which thread works how long for one, and how much that differs
//   at load  windows at two loads, in turn: how much more or less it is then. CPU time for a request falls where a process is busy, since
//            its code is compiled and its caches are warm: figures from a hot loop, or from an idle server, are wrong by a multiple.

import { cpus as hostCpus } from 'node:os'
import { cpuBudget } from '../../cpu/cpu-budget.js'
import { mean, median, sampleDeviation, sum } from '../stats/summary.js'
import type { Random } from '../stats/random.js'
import { load } from '../load/load.js'
import type { StartedServer } from '../server/start-server.js'
import { askAlone } from './ask-alone.js'
import { meanDemand, type Calibration, type Level, type Route } from './calibration.js'
import type { Demand } from './model/job.js'
import { quantile, simulate, type Simulated } from './model/simulate.js'
import { pickRequest } from './pick-request.js'
import { sendMix, type MixSeen } from './send-mix.js'
import { poolSize, residentBytesOf, threadTimes, timesBetween, type ThreadTimes } from './thread-times.js'

/** Where the load that is asked for is more than one process bears: so busy is its main thread, or its pool. */
const MOST_BUSY = 0.7
/** Of the higher load. */
const LOWER = 3 / 7
const WINDOWS = 3
/** More windows in place of those in which others used the CPUs. */
const SPARE_WINDOWS = 3
const SECONDS = 2
const MOST_SECONDS = 10
/** A window has so many requests, where that fits. */
const REQUESTS = 60
const WARM_UP_SECONDS = 1.5
/** As for all measurements: above this share of the CPUs used by others the machine is disturbed. */
const MAX_OTHERS = 0.15
/** Windows of the same load that differ more. */
const MAX_SPREAD = 0.2
/** The answers took so many times as long as in the model, or as short. */
const MAX_FIT = 2
const MAX_FAILED = 0.05
const UV_THREADS = 4

export interface CalibrationPlan {
  readonly server: StartedServer
  readonly paths: readonly { readonly path: string; readonly weight: number }[]
  /** Requests per second, all paths together. */
  readonly rate: number
  readonly random: Random
  readonly signal: AbortSignal
  readonly onPhase: (text: string) => void
}

export interface CalibrationWindow {
  readonly seen: MixSeen
  readonly times: ThreadTimes
}

/** Rejects with an Error whose message is the reason. */
export async function calibrate(plan: CalibrationPlan): Promise<Calibration> {
  const { server, paths, onPhase, signal } = plan
  onPhase('Warming the server up ...')
  await warmUp(plan)
  const total = sum(paths.map(({ weight }) => weight))
  const routes: Route[] = []
  for (const { path, weight } of paths) {
    onPhase(`Asking for ${path}, one request at a time ...`)
    const asked = { origin: server.origin, path, pid: server.group, workerIds: server.workerIds, signal }
    routes.push({ path, share: weight / total, demands: await askAlone(asked) })
  }
  const threads = meanDemand(routes).pool > 0 ? Math.max(1, poolSize(server.group, server.workerIds())) : 0
  const rate = await findRate(plan, routes, threads)
  const windows = await measureLevels(plan, routes, rate)
  return conclude({ routes, threads, rate, windows, memoryBytes: residentBytesOf(server.group), plan })
}

/**
 * Of the load that is asked for, what one process bears. Requests that come alone find cold caches and code that is hardly compiled: a server
 * that took 0.25 ms for each of them took 0.03 in a stream. So the first guess is tried, and raised until the process is as busy as it may be.
 */
async function findRate(plan: CalibrationPlan, routes: readonly Route[], threads: number): Promise<number> {
  let most = mostPerSecond(meanDemand(routes), threads)
  for (let round = 0; round < MOST_GUESSES && plan.rate > MOST_BUSY * most; round++) {
    plan.onPhase('Finding the load that one process bears ...')
    const { seen, times } = await measureWindow(plan, routes, MOST_BUSY * most)
    const { main, pool, other } = timesForRequest(times, seen)
    const shown = mostPerSecond({ main, pool, uv: other, wait: 0 }, threads)
    if (seen.limitedBecause !== null || shown < most * (1 + WORTH_ANOTHER)) break
    most = shown
  }
  return Math.min(plan.rate, MOST_BUSY * most)
}

const MOST_GUESSES = 3
const WORTH_ANOTHER = 0.1

function timesForRequest({ main, pool, other }: ThreadTimes, { sent }: MixSeen): Omit<ThreadTimes, 'queued'> {
  const count = Math.max(1, sent)
  return { main: main / count, pool: pool / count, other: other / count }
}

async function warmUp({ server, paths, signal }: CalibrationPlan): Promise<void> {
  const how = { connections: 2, duration: WARM_UP_SECONDS, warmup: 0, timeout: 20, signal }
  await Promise.all(paths.map(({ path }) => load(new URL(path, server.origin), how)))
  signal.throwIfAborted()
}

/** That a process could answer on this machine. */
function mostPerSecond({ main, pool, uv }: Demand, threads: number): number {
  const cpus = cpuBudget({ env: {} }).cpus
  const busiest = Math.max(main, pool / Math.max(1, threads), uv / UV_THREADS, (main + pool + uv) / cpus)
  return 1000 / Math.max(busiest, 0.01)
}

interface Windows {
  readonly low: readonly CalibrationWindow[]
  readonly high: readonly CalibrationWindow[]
  /** CPUs that others used in those that count, on average. */
  readonly others: number
}

async function measureLevels(
  plan: CalibrationPlan,
  routes: readonly Route[],
  rate: number,
): Promise<Windows> {
  const all: Record<'low' | 'high', CalibrationWindow[]> = { low: [], high: [] }
  const cpus = cpuBudget({ env: {} }).cpus
  const isQuiet = ({ seen }: CalibrationWindow) => (seen.otherCpus ?? 0) <= MAX_OTHERS * cpus
  for (let turn = 0; turn < 2 * (WINDOWS + SPARE_WINDOWS); turn++) {
    const name = turn % 2 === 0 ? 'high' : 'low'
    if (all[name].filter(isQuiet).length >= WINDOWS) continue
    const isHopeless = turn >= 2 * WINDOWS && all[name].filter(isQuiet).length < WINDOWS / 2
    if (isHopeless) break
    plan.onPhase(
      `Measuring at ${name === 'high' ? 'the load' : 'a part of the load'}, window ${all[name].length + 1} ...`,
    )
    all[name].push(await measureWindow(plan, routes, name === 'high' ? rate : LOWER * rate))
  }
  const best = (list: CalibrationWindow[]) =>
    [...list].sort((a, b) => (a.seen.otherCpus ?? 0) - (b.seen.otherCpus ?? 0)).slice(0, WINDOWS)
  const [low, high] = [best(all.low), best(all.high)]
  return { low, high, others: mean([...low, ...high].map(({ seen }) => seen.otherCpus ?? 0)) }
}

async function measureWindow(
  plan: CalibrationPlan,
  routes: readonly Route[],
  rate: number,
): Promise<CalibrationWindow> {
  const { server, random, signal } = plan
  const times = () => threadTimes(server.group, server.workerIds())
  const before = times()
  const cpuMs = () => {
    const now = times()
    return now === null ? null : now.main + now.pool + now.other
  }
  const seconds = Math.min(MOST_SECONDS, Math.max(SECONDS, REQUESTS / rate))
  const seen = await sendMix({
    origins: [server.origin],
    routes,
    arrivals: { kind: 'poisson' },
    rate,
    seconds,
    random,
    signal,
    cpuMs,
  })
  const after = times()
  if (before === null || after === null) throw new Error('the server ended while it was measured')
  return { seen, times: timesBetween(before, after) }
}

interface Findings {
  readonly routes: readonly Route[]
  readonly threads: number
  readonly rate: number
  readonly windows: Windows
  readonly memoryBytes: number | null
  readonly plan: CalibrationPlan
}

function conclude({ routes, threads, rate, windows, memoryBytes, plan }: Findings): Calibration {
  const levels = [windows.low, windows.high].map((list) => levelOf(list, routes))
  const spread = Math.max(...[windows.low, windows.high].map((list) => spreadOf(list, routes)))
  const draft: Calibration = {
    routes,
    threads,
    levels,
    spread,
    memoryBytes,
    at: rate,
    fit: 1,
    disturbed: null,
    shadow: shadowOf(windows.high, routes),
  }
  // The time of answers tells nothing where others used the CPUs; CPU time does.
  const isQuiet = windows.others <= MAX_OTHERS * cpuBudget({ env: {} }).cpus
  const settled = isQuiet ? withConstants(draft, windows.low, plan.random) : draft
  const fit = isQuiet ? fitOf(settled, windows.high, plan.random) : 1
  return { ...settled, fit, disturbed: whyDisturbed(windows, spread, fit) }
}

/** What the requests of a window would have cost one at a time, in ms: all of them, since the CPU time is that of all. */
function costAlone(
  { seen }: CalibrationWindow,
  routes: readonly Route[],
  part: (demand: Demand) => number,
): number {
  return sum(routes.map(({ demands }, index) => seen.routes[index]!.sent * mean(demands.map(part))))
}

export function levelOf(windows: readonly CalibrationWindow[], routes: readonly Route[]): Level {
  const ratio: RatioOf = (used, part) => {
    const alone = sum(windows.map((window) => costAlone(window, routes, part)))
    return alone === 0 ? 1 : sum(windows.map(({ times }) => used(times))) / alone
  }
  const busy = mean(windows.map(({ times, seen }) => times.main / seen.dueMs))
  const main = ratio(
    (times) => times.main,
    (demand) => demand.main,
  )
  return { busy, main, rest: restOf(routes, ratio) ?? main }
}

type RatioOf = (used: (times: ThreadTimes) => number, part: (demand: Demand) => number) => number

/** Of the threads beside the main one that requests wait for; null: there are none. */
function restOf(routes: readonly Route[], ratio: RatioOf): number | null {
  const { pool, uv } = meanDemand(routes)
  if (pool > 0)
    return ratio(
      (times) => times.pool,
      (demand) => demand.pool,
    )
  return uv > 0
    ? ratio(
        (times) => times.other,
        (demand) => demand.uv,
      )
    : null
}

/** Half of the distance between the windows that differ most. */
function spreadOf(windows: readonly CalibrationWindow[], routes: readonly Route[]): number {
  const levels = windows.map((window) => levelOf([window], routes).main)
  return (Math.max(...levels) - Math.min(...levels)) / 2 / mean(levels)
}

/** What neither the main thread, nor the pool, nor libuv for a request has used. */
function shadowOf(windows: readonly CalibrationWindow[], routes: readonly Route[]): number {
  if (meanDemand(routes).uv > 0 && meanDemand(routes).pool === 0) return 0 // all of it is in the level, see restOf
  const uv = sum(windows.map((window) => costAlone(window, routes, (demand) => demand.uv)))
  const other = sum(windows.map(({ times }) => times.other))
  return Math.max(0, other - uv) / sum(windows.map(({ times }) => times.main))
}

/** What an answer takes besides: the network, and whoever sent the requests. So that the model has the median that was measured. */
function withConstants(
  calibration: Calibration,
  windows: readonly CalibrationWindow[],
  random: Random,
): Calibration {
  const { byRoute } = simulateWindows(calibration, windows, random)
  const routes = calibration.routes.map((route, index) => {
    const measured = median(windows.flatMap(({ seen }) => seen.routes[index]!.p50 ?? []))
    const constant = measured - quantile(byRoute[index] ?? [], 0.5)
    if (!Number.isFinite(constant)) return route
    const demands = route.demands.map((each) => ({ ...each, wait: Math.max(0, each.wait + constant) }))
    return { ...route, demands }
  })
  return { ...calibration, routes }
}

/**
 * How many times as long as in the model the slowest answers took, as far as that is no chance: of 60 requests the p99 is the slowest one, and
 * differs by a multiple from window to window. So the model has windows of the same length, whose p99s differ as much.
 */
export function fitOf(
  calibration: Calibration,
  windows: readonly CalibrationWindow[],
  random: Random,
): number {
  const measured = median(windows.flatMap(({ seen }) => seen.p99 ?? []))
  const requests = Math.round(mean(windows.map(({ seen }) => seen.sent)))
  const logs = Array.from({ length: MODEL_WINDOWS }, () =>
    Math.log(quantile(simulateWindows(calibration, windows, random, requests).latencies, 0.99)),
  )
  const off = Math.log(measured) - mean(logs)
  const chance = sampleDeviation(logs) / Math.sqrt(windows.length)
  const beyond = Math.sign(off) * Math.max(0, Math.abs(off) - 2 * chance)
  return Number.isFinite(beyond) ? Math.exp(beyond) : 1
}

const MODEL_WINDOWS = 60

/** Today, in the model. */
function simulateWindows(
  calibration: Calibration,
  windows: readonly CalibrationWindow[],
  random: Random,
  requests = SIMULATED,
): Simulated {
  const { routes, levels, threads, shadow } = calibration
  const cpus = cpuBudget({ env: {} }).cpus
  const level = windows.length === 0 ? levels[0]! : levelOf(windows, routes)
  const rate = mean(windows.map(({ seen }) => (1000 * seen.sent) / seen.dueMs))
  return simulate({
    shape: { cpus, cores: Math.max(hostCpus().length, cpus), instances: 1, threads, shadow },
    containers: 1,
    arrivals: { kind: 'poisson' },
    rate,
    requests,
    random,
    nextRequest: () => pickRequest(routes, level, random),
  })
}

const SIMULATED = 20_000

function whyDisturbed({ low, high, others }: Windows, spread: number, fit: number): string | null {
  const cpus = cpuBudget({ env: {} }).cpus
  const windows = [...low, ...high]
  const failed = Math.max(...windows.map(({ seen }) => seen.failed))
  const limited = windows.find(({ seen }) => seen.limitedBecause !== null)
  if (failed > MAX_FAILED) return `${Math.round(100 * failed)} % of the requests failed`
  if (others > MAX_OTHERS * cpus)
    return `others used ${others.toFixed(1)} of ${cpus} CPUs while it was measured`
  if (limited) return `the load generator was the bottleneck: ${limited.seen.limitedBecause}`
  if (spread > MAX_SPREAD)
    return `the same load took between ${percent(-spread)} and ${percent(spread)} of the mean CPU time`
  if (fit > MAX_FIT || fit < 1 / MAX_FIT)
    return `the longest of 100 answers took ${fit.toFixed(1)} times as long as the model says for this machine`
  return null
}

function percent(change: number): string {
  return `${Math.round(100 * (1 + change))} %`
}
