// A comparison of versions of a server: the same load on both in turn, and whether they answer the same.

import { resolve as resolvePath } from 'node:path'
import { fileURLToPath } from 'node:url'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { ThreadwiseError } from '../../errors/errors.js'
import {
  checkCount,
  checkList,
  checkNames,
  checkObject,
  checkOption,
  checkTexts,
  optionNames,
  ownOptions,
} from '../../errors/check-options.js'
import { checkOwnProgram } from '../../primitives/task-modules.js'
import { decide } from '../decision/decide.js'
import { DEFAULT_RULES } from '../decision/rules.js'
import { intervalOf } from '../decision/standing.js'
import { startMachineCheck } from '../machine/machine-check.js'
import { machineCpu } from '../machine/machine-cpu.js'
import type { CompareResult, Comparison, ComparedResults } from '../results/compare-result.js'
import { createServerWorld, type RowCandidate, type ServerWorld } from '../server/server-world.js'
import type { ServerAnswer, ServerRow } from '../server/server-trial.js'
import { startServerTrial } from '../server/start-server-trial.js'
import { createRandom, shuffle, type Random } from '../stats/random.js'
import { logRatio, type Pair } from '../stats/ratio-estimator.js'
import { median } from '../stats/summary.js'
import type { VersionResult } from '../trial/trial.js'
import { compareResults } from './compare-results.js'
import { FALSE_ALARM, asResult, unlessWrong } from './conclude.js'
import { isEnough } from './enough.js'
import { judgeServers, VERSION_SPREAD, verdictOf } from './judge.js'
import {
  checkVersions,
  resolveCompareOptions,
  type CompareOptions,
  type ResolvedCompareOptions,
  type VersionGiven,
} from './options.js'
import type { Version } from './version.js'

/** Options of {@link compareServers}, besides those of {@link compare}. */
export interface CompareServersOptions extends Omit<CompareOptions, 'task' | 'args' | 'executor' | 'size'> {
  /** What is asked for. Default '/'. */
  readonly path?: string | undefined
  /** Requests per second that are due, for the latency of both. Default: latency is not compared. */
  readonly rate?: number | undefined
  /** Connections of the load, at most. Default 32. */
  readonly connections?: number | undefined
  /** What each server gets after its file. Default: none. */
  readonly args?: readonly string[] | undefined
}

const OWN = optionNames('path rate connections args')

const SECONDS = 60
/** Answers that are compared, of each version. */
const ANSWERS = 2
/** Latency at a rate: this share of the time, in turns of so many ms, so many pairs at least. */
const LATENCY = { share: 0.3, ms: 1500, pairs: 4 }

/**
 * Compares versions of an HTTP server: requests per second, CPU time of a request, and at a rate its latency.
 *
 * @throws TW_ERR_INSTANCE_FAILED when a version does not start or answer, TW_ERR_INVALID_OPTION; the reason of `signal` when it is aborted
 *   before anything was compared
 * @example
 * const { sentence } = await compareServers(['old/server.js', 'new/server.js'], { path: '/report' })
 */
export async function compareServers(
  given: readonly VersionGiven[],
  options: CompareServersOptions = {},
): Promise<CompareResult> {
  checkOwnProgram('compareServers()')
  const { own, common } = resolveCompareServersOptions(options)
  const startedMs = performance.now()
  const check = await startMachineCheck(measurableCpus())
  const versions = versionsOf(given)
  const rows = versions.map(({ version, file }, i) =>
    rowOf(version, { file, path: own.path, cpus: common.cpus ?? measurableCpus(), isOld: i === 0 }),
  )
  const results = await compareAnswers(rows, own, common.signal)
  const budgetSeconds = common.budget ?? SECONDS
  const run: Run = { own, common, startedMs, budgetSeconds, rows, random: createRandom(common.seed) }
  const { comparisons: all, decision, skipped } = await compareRows(run)
  const comparisons = unlessWrong(all, results)
  if (common.signal?.aborted && comparisons.length === 0) throw common.signal.reason
  const told = { comparisons, results, noise: check.finish([decision]), warmUps: [], skipped }
  const seconds = (performance.now() - startedMs) / 1000
  return asResult(
    { ...told, versions: versions.map(({ version }) => version), budgetSeconds, seconds },
    common,
  )
}

interface Own {
  readonly path: string
  readonly rate: number | null
  readonly connections: number
  readonly args: readonly string[]
}

interface Run {
  readonly own: Own
  readonly common: ResolvedCompareOptions
  readonly startedMs: number
  readonly budgetSeconds: number
  readonly rows: readonly ServerRow[]
  readonly random: Random
}

/** @throws TW_ERR_INVALID_OPTION */
export function resolveCompareServersOptions(given: CompareServersOptions): {
  own: Own
  common: ResolvedCompareOptions
} {
  checkObject('options', given)
  const { path = '/', rate, connections = 32, args = [], ...others } = ownOptions(given)
  const { executor, size } = others as CompareOptions
  checkOption(
    executor === undefined && size === undefined,
    'executor',
    'left out: a server has its own threads and processes',
    executor ?? size,
  )
  const common = resolveCompareOptions(others)
  checkNames({ path, rate, connections, args }, OWN)
  checkOption(typeof path === 'string' && path.startsWith('/'), 'path', "text that begins with '/'", path)
  checkOption(
    rate === undefined || (rate > 0 && rate <= 100_000),
    'rate',
    'requests per second, up to 100000',
    rate,
  )
  checkCount('connections', connections, 10_000)
  checkTexts('args', args)
  return { own: { path, rate: rate ?? null, connections, args }, common }
}

function versionsOf(given: readonly VersionGiven[]): { version: Version; file: string }[] {
  const checked = checkVersions(given)
  const isRef = checked.some(({ ref }) => ref !== undefined)
  const files = checked.map(({ file }) => file)
  checkList(
    'versions.file',
    files,
    'one file that starts a server for each version',
    (file) => !Array.isArray(file),
  )
  const areFiles = new Set(files.map(String)).size > 1
  return checked.map(({ file, name, ref, node, env, cwd }, i) => ({
    file: fileOf(file as string | URL),
    version: {
      name: name ?? ref ?? (areFiles ? String(file) : i === 0 ? 'old' : 'new'),
      kind: isRef ? 'ref' : areFiles ? 'file' : 'runtime',
      ref: ref ?? null,
      runtime: { node, env, cwd },
    },
  }))
}

function fileOf(file: string | URL): string {
  return /^file:/.test(String(file)) ? fileURLToPath(file) : resolvePath(String(file))
}

function rowOf(
  { name, runtime }: Version,
  { file, path, cpus, isOld }: { file: string; path: string; cpus: number; isOld: boolean },
): ServerRow {
  const { node, cwd, env } = runtime
  const version = { file, node, cwd }
  const role = isOld ? 'baseline' : 'other'
  return {
    name,
    way: 'single',
    path,
    instances: 1,
    cpus,
    role,
    version,
    ...(env && { env }),
  }
}

/** Before anything is timed: a faster wrong answer is not faster. */
async function compareAnswers(
  rows: readonly ServerRow[],
  { args, path }: Own,
  signal: AbortSignal | undefined,
): Promise<ComparedResults> {
  const seen: { name: string; results: VersionResult[] }[] = []
  for (const row of rows) {
    signal?.throwIfAborted()
    const trial = await startServerTrial({ file: row.version!.file, row, args, env: row.env ?? {}, signal })
    signal?.throwIfAborted()
    if ('failed' in trial) throw failed(row, trial.failed)
    try {
      const answers: ServerAnswer[] = []
      for (let i = 0; i < ANSWERS; i++) answers.push(await trial.ask())
      const isSteady = answers.every(
        ({ hash, status }) => hash === answers[0]!.hash && status === answers[0]!.status,
      )
      seen.push({ name: row.name, results: [{ value: answers[0], isSteady }] })
    } catch (error) {
      signal?.throwIfAborted()
      throw failed(row, (error as Error).message)
    } finally {
      await trial.stop()
    }
  }
  return compareResults(path, seen)
}

function failed({ version, name }: ServerRow, reason: string): ThreadwiseError {
  const details = { file: `${version!.file} (${name})`, reason, rest: 'Nothing was compared.' }
  return new ThreadwiseError('TW_ERR_INSTANCE_FAILED', details)
}

async function compareRows(run: Run) {
  const { own, common, startedMs, budgetSeconds, rows, random } = run
  const { signal, tolerance, isGate, processes, onProgress } = common
  const until = own.rate === null ? budgetSeconds : (1 - LATENCY.share) * budgetSeconds
  const tell = (phase: 'starting' | 'warming up' | 'measuring', ratio: number | null = null) =>
    onProgress({
      workload: own.path,
      number: 1,
      count: 1,
      phase,
      seconds: (performance.now() - startedMs) / 1000,
      budgetSeconds,
      ratio,
    })
  const world = createServerWorld({
    startTrial: startServerTrial,
    now: () => performance.now(),
    machineCpu: machineCpu(),
    file: rows[0]!.version!.file,
    args: own.args,
    env: {},
    connections: own.connections,
    startedMs,
    until,
    cpus: measurableCpus(),
    random,
    signal,
    onPhase: (phase) => tell(phase === 'starting' || phase === 'warming up' ? phase : 'measuring'),
    onLook: (_live, best) => tell('measuring', best && 1 / best.ratio),
  })
  const candidates = rows.map((row, i): RowCandidate => ({
    name: row.name,
    role: i === 0 ? 'baseline' : 'rival',
    row,
  }))
  const names = rows.slice(1).map(({ name }) => name)
  const alpha = FALSE_ALARM / (2 * names.length)
  const duel = {
    processes,
    spread: VERSION_SPREAD,
    alpha,
    isEnough: (rates: Parameters<typeof isEnough>[0]) => isEnough(rates, { tolerance, isGate }),
  }
  const rules = { ...DEFAULT_RULES, until, machineCpus: measurableCpus(), isSurvey: true, duel }
  try {
    const decision = await decide(candidates, rules, world)
    const judged = { workload: own.path, old: rows[0]!.name, names, decision, alpha, tolerance }
    const times = judgeServers(judged)
    const latencies = own.rate === null ? [] : await compareLatency(own.rate, world, { ...run, alpha })
    const failure = [...decision.failures].map(([name, reason]) => `${name}: ${reason}`)[0]
    const reason =
      failure ?? (times.length === 0 ? 'there was too little time; a larger --budget gives it more' : null)
    const skipped = reason === null ? [] : [{ workload: own.path, reason }]
    return { decision, comparisons: [...times, ...latencies], skipped }
  } finally {
    await world.end()
  }
}

/** By turns, at the same rate. */
async function compareLatency(
  rate: number,
  world: ServerWorld,
  { rows, budgetSeconds, common, own, random, alpha }: Run & { alpha: number },
): Promise<Comparison[]> {
  const trialOf = (row: ServerRow) => world.records.get(row)?.trials[0]
  const seen = new Map(rows.map((row) => [row.name, [] as { p50: number; p99: number }[]]))
  const isOver = () =>
    common.signal?.aborted === true ||
    (world.seconds() > budgetSeconds && [...seen.values()].every(({ length }) => length >= LATENCY.pairs))
  while (!isOver()) {
    const round = []
    for (const row of shuffle(rows, random)) {
      const run = await trialOf(row)?.latencyAt({ share: 1, rate, isCompared: true }, LATENCY.ms)
      if (!run || run.p99 === null || run.p50 === null || run.errorRate > 0) return []
      round.push({ row, p50: run.p50, p99: run.p99 })
    }
    for (const { row, p50, p99 } of round) seen.get(row.name)!.push({ p50, p99 })
  }
  const old = seen.get(rows[0]!.name)!
  return rows.slice(1).flatMap(({ name }) => {
    const own99 = seen.get(name)!
    const pairs = own99.map(({ p99 }, i): Pair => ({ rate: p99, base: old[i]!.p99 }))
    const known = logRatio(pairs)
    if (known === null) return []
    const ratio = intervalOf({ mean: known.value, sd: Math.sqrt(known.variance) }, 1, alpha)
    const verdict = verdictOf(ratio, common.tolerance)
    const us = (list: readonly { p99: number }[]) => 1000 * median(list.map(({ p99 }) => p99))
    return [
      {
        workload: own.path,
        name,
        metric: 'latency' as const,
        ratio,
        verdict,
        old: us(old),
        new: us(own99),
        pairs: pairs.length,
        processes: 1,
      },
    ]
  })
}
