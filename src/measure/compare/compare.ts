// A comparison of versions from start to end: what they give, what they cost, and a sentence.

import { ThreadwiseError } from '../../errors/errors.js'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { openPinner } from '../../cpu/limit/pin-process.js'
import { checkOwnProgram } from '../../primitives/task-modules.js'
import { decide, type Decision } from '../decision/decide.js'
import { DEFAULT_RULES } from '../decision/rules.js'
import { startMachineCheck } from '../machine/machine-check.js'
import { machineCpu } from '../machine/machine-cpu.js'
import type { CompareResult, Comparison, ComparedResults } from '../results/compare-result.js'
import { createRandom } from '../stats/random.js'
import { median } from '../stats/summary.js'
import { startTrialProcess } from '../trial/trial-process.js'
import { isFailed, type VersionResult } from '../trial/trial.js'
import { addResults, compareResults } from './compare-results.js'
import { FALSE_ALARM, asResult, unlessWrong } from './conclude.js'
import { isEnough } from './enough.js'
import { createExecutorWorld } from './executor-world.js'
import { compareVersions, VERSION_SPREAD, type MeasuredVersions } from './judge.js'
import {
  checkVersions,
  resolveCompareOptions,
  type CompareOptions,
  type ExecutorPlace,
  type ResolvedCompareOptions,
  type VersionGiven,
} from './options.js'
import { findWorkloads, type ComparedWorkload } from './find-workloads.js'
import {
  createVersionWorld,
  type VersionCandidate,
  type VersionOutside,
  type VersionRecord,
  type VersionWorld,
  type VersionWorldOptions,
} from './version-world.js'

/** What a comparison takes from outside: the real things, or exact fakes in tests. */
export interface CompareSurroundings extends VersionOutside {
  readonly startMachineCheck: typeof startMachineCheck
}

/** Time and CPU time are both told. */
const TIMED = 2

/** Inputs whose results are compared, and ms for them in each version. */
const RESULTS = { most: 200, ms: 1500, patienceMs: 30_000 }

/** Pairs that each process needs for a figure; and when that takes more than a share of the time, so many processes are left. */
const PAIRS = 4
const LONG = { share: 0.4, processes: 2 }

/** A warm-up is told that takes so much longer, and is so many ms longer. */
const LONGER = { times: 2, ms: 200 }

/**
 * Compares versions of the same code side by side on this machine: is the new one slower than the old one?
 *
 * Every version has several processes; one works at a time, all on the same CPU, in turns of some milliseconds. Results are compared
 * first. See docs/comparing.md.
 *
 * @param versions the old one, and those that are compared with it
 * @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_INVALID_OPTION; the reason of `signal` when it is aborted before anything was compared
 * @example
 * const { sentence, comparisons } = await compare(['old/tasks.js', 'new/tasks.js'], { task: 'render', args: [[{ me: 'Ada' }]] })
 */
export async function compare(
  versions: readonly VersionGiven[],
  options: CompareOptions = {},
): Promise<CompareResult> {
  const outside = {
    startTrial: startTrialProcess,
    now: () => performance.now(),
    machineCpu: machineCpu(),
    pinner: openPinner(),
  }
  return compareIn({ ...outside, startMachineCheck }, versions, options)
}

interface Run extends ResolvedCompareOptions {
  readonly surroundings: CompareSurroundings
  readonly startedMs: number
  readonly budgetSeconds: number
  readonly count: number
}

interface Outcome {
  readonly comparisons: Comparison[]
  readonly results: ComparedResults
  readonly warmUps: string[]
  readonly decision: Decision | null
  readonly skipped: string | null
}

export async function compareIn(
  surroundings: CompareSurroundings,
  given: readonly VersionGiven[],
  options: CompareOptions,
): Promise<CompareResult> {
  checkOwnProgram('compare()')
  const resolved = resolveCompareOptions(options)
  const checked = checkVersions(given)
  const startedMs = surroundings.now()
  const check = await surroundings.startMachineCheck(measurableCpus())
  const { versions, workloads } = await findWorkloads(checked, resolved, surroundings.startTrial)
  const { budget, signal, secondsEach } = resolved
  const budgetSeconds = budget ?? secondsEach * workloads.length
  const run: Run = { ...resolved, surroundings, startedMs, budgetSeconds, count: workloads.length }
  const outcomes: Outcome[] = []
  for (const [index, workload] of workloads.entries()) {
    if (signal?.aborted) break
    outcomes.push(await compareWorkload(workload, index, run))
  }
  if (signal?.aborted && outcomes.every(({ comparisons }) => comparisons.length === 0)) throw signal.reason
  const none: ComparedResults = { equal: 0, differing: 0, unsteady: 0, examples: [] }
  const told = {
    versions,
    budgetSeconds,
    noise: check.finish(outcomes.flatMap(({ decision }) => decision ?? [])),
    comparisons: outcomes.flatMap((outcome) => outcome.comparisons),
    results: outcomes.map((outcome) => outcome.results).reduce(addResults, none),
    warmUps: outcomes.flatMap(({ warmUps }) => warmUps),
    skipped: outcomes.flatMap(({ skipped }, index) =>
      skipped === null ? [] : [{ workload: workloads[index]!.name, reason: skipped }],
    ),
    seconds: (surroundings.now() - startedMs) / 1000,
  }
  return asResult(told, resolved)
}

async function compareWorkload(workload: ComparedWorkload, index: number, run: Run): Promise<Outcome> {
  const { surroundings, startedMs, budgetSeconds, count, tolerance, isGate, signal } = run
  const secondsNow = () => (surroundings.now() - startedMs) / 1000
  const tell = (phase: 'starting' | 'warming up' | 'measuring', ratio: number | null = null) =>
    run.onProgress({
      workload: workload.name,
      number: index + 1,
      count,
      phase,
      seconds: secondsNow(),
      budgetSeconds,
      ratio,
    })
  tell('starting')
  const { results, callMs } = await resultsOf(workload, run)
  const [old, ...names] = workload.tasks.map(({ version }) => version.name) as [string, ...string[]]
  const began = secondsNow()
  const until = began + Math.max(0, budgetSeconds - began) / (count - index)
  const alpha = FALSE_ALARM / (TIMED * count * names.length)
  const candidates = workload.tasks.map((task, i): VersionCandidate => ({
    ...task,
    name: task.version.name,
    role: i === 0 ? 'baseline' : 'rival',
  }))
  const world = await worldOf(candidates, run.place, {
    ...surroundings,
    startedMs,
    until,
    signal,
    cpus: measurableCpus(),
    random: createRandom(run.seed + index),
    onPhase: tell,
    onLook: (rates) => tell('measuring', rates === null ? null : 1 / rates),
  })
  const processes = processesFor(run.processes, { callMs, ms: 1000 * (until - began) })
  const duel = {
    processes,
    spread: VERSION_SPREAD,
    alpha,
    isEnough: (rates: Parameters<typeof isEnough>[0]) => isEnough(rates, { tolerance, isGate }),
  }
  const rules = { ...DEFAULT_RULES, until, machineCpus: measurableCpus(), isSurvey: true, duel }
  const decision = await decide(candidates, rules, world)
  const judged = { workload: workload.name, old, names, decision, records: world.records, alpha, tolerance }
  return outcomeOf(judged, { results, until, late: world.failure?.() ?? null })
}

/** Of long calls fewer processes get the windows that a figure needs. */
function processesFor(wanted: number, { callMs, ms }: { callMs: number; ms: number }): number {
  return callMs * PAIRS * wanted > LONG.share * ms ? Math.min(wanted, LONG.processes) : wanted
}

/** @param late why nothing of it says anything, as was seen only in the end */
function outcomeOf(
  judged: MeasuredVersions,
  { results, until, late }: { results: ComparedResults; until: number; late: string | null },
): Outcome {
  const { workload, old, names, decision, records } = judged
  const comparisons = late === null ? unlessWrong(compareVersions(judged), results) : []
  const failure = [...decision.failures].map(([name, reason]) => `${name}: ${reason}`)[0] ?? late
  const isTimed = comparisons.some(({ metric }) => metric === 'time')
  const skipped = failure ?? (isTimed ? null : tooLittle(decision, until))
  return { comparisons, results, decision, skipped, warmUps: slowToWarm(workload, old, names, records) }
}

async function worldOf(
  candidates: readonly VersionCandidate[],
  place: ExecutorPlace | null,
  options: VersionWorldOptions,
): Promise<VersionWorld> {
  return place === null ? createVersionWorld(options) : createExecutorWorld(candidates, place, options)
}

function tooLittle({ why }: Decision, until: number): string {
  if (why === 'stopped') return 'the run was interrupted'
  if (why === 'no-baseline') return 'the old version could not be measured'
  return `there was too little time within ${Math.round(until)} s; a larger --budget gives it more`
}

interface Looked {
  readonly results: ComparedResults
  /** Of one call of each version, all of them together. */
  readonly callMs: number
}

/** In a process of its own for each version: what a call leaves behind must not be in the way of what is timed. */
async function resultsOf(workload: ComparedWorkload, run: Run): Promise<Looked> {
  const { surroundings, signal } = run
  let callMs = 0
  const seen: { name: string; results: readonly VersionResult[] }[] = []
  for (const { version, source, variant } of workload.tasks) {
    const place = { cpus: measurableCpus(), uv: null, signal, runtime: version.runtime }
    const trial = await surroundings.startTrial(place)
    try {
      const opened = await trial.ask('open', { source, variant }, RESULTS.patienceMs)
      const began = surroundings.now()
      const answer = isFailed(opened) ? opened : await trial.ask('results', RESULTS, RESULTS.patienceMs)
      signal?.throwIfAborted()
      if (isFailed(answer)) throw invalid(`${workload.name} of ${version.name}`, answer.failed)
      callMs += (surroundings.now() - began) / Math.max(1, 2 * answer.results.length)
      seen.push({ name: version.name, results: answer.results })
    } finally {
      await trial.kill()
    }
  }
  return { results: compareResults(workload.name, seen), callMs }
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', {
    file,
    reason: reason.replace(/^(?:Threadwise)?Error: /, ''),
  })
}

function slowToWarm(
  workload: string,
  old: string,
  names: readonly string[],
  records: ReadonlyMap<string, VersionRecord>,
): string[] {
  const warmUpOf = (name: string) =>
    median((records.get(name)?.warmUps ?? []).map(({ warmUpMs }) => warmUpMs))
  return names.flatMap((name) => {
    const [before, after] = [warmUpOf(old), warmUpOf(name)]
    const [slow, fast] = after > before ? [name, old] : [old, name]
    const [most, least] = [Math.max(before, after), Math.min(before, after)]
    if (!(most - least >= LONGER.ms && most >= LONGER.times * least)) return []
    return [
      `${workload}: ${slow} needs about ${Math.round(most)} ms of calls to become fast, ${fast} ${Math.round(least)} ms.`,
    ]
  })
}
