// Compares the rows of one limit: first as many requests as they answer, then the times of answers at equal rates.

import { decide, type Decision } from '../decision/decide.js'
import { DEFAULT_RULES } from '../decision/rules.js'
import type { Disturbance } from '../machine/machine-check.js'
import { createRandom, type Random } from '../stats/random.js'
import { mean } from '../stats/summary.js'
import type { SeenRow } from './judge-rows.js'
import type { ResolvedServerOptions, ServerPhase, ServerProgress } from './options.js'
import type { LatencyRun, ServerRow } from './server-trial.js'
import { createServerWorld, type RowCandidate, type ServerOutside, type ServerWorld } from './server-world.js'
import { timeRows, type TimedRow } from './time-rows.js'

export interface ServerRun {
  readonly resolved: ResolvedServerOptions
  readonly surroundings: ServerOutside
  /** When the run began. */
  readonly startedMs: number
  /** Seconds for all limits together. */
  readonly budget: number
  /** CPUs that the servers and the load have together. */
  readonly available: number
  /** Every row is of interest: none leaves, and answers are not timed. */
  readonly isSurvey: boolean
}

export interface ComparedRows {
  /** In the order of the rows. */
  readonly seen: SeenRow[]
  readonly disturbance: Disturbance
}

interface Comparison extends ServerRun {
  /** Seconds after which it has ended. */
  readonly until: number
  readonly step: Pick<ServerProgress, 'cpus' | 'comparison' | 'comparisons' | 'budgetSeconds'>
}

/** Share of the time for the requests; the rest is for their times. */
const DECIDING = 0.7
/** Windows are long, so fewer of them are enough to leave by. */
const MIN_WINDOWS = 4
/** Rows whose times are worth knowing: one process, and the ones that come next to it or beat it. */
const TIMED = 3

const NOT_TIMED: ReadonlyMap<ServerRow, LatencyRun[]> = new Map()

/** @throws TW_ERR_LIMIT_UNAVAILABLE, and then nothing is left running */
export async function compareRows(rows: readonly ServerRow[], comparison: Comparison): Promise<ComparedRows> {
  const { resolved, startedMs, until, surroundings, available, isSurvey } = comparison
  const candidates = rows.map((row, index): RowCandidate => {
    return { name: String(index), role: row.role === 'baseline' ? 'baseline' : 'rival', row }
  })
  const random = createRandom(resolved.settings.seed)
  const began = (surroundings.now() - startedMs) / 1000
  const decided = isSurvey ? until : began + DECIDING * (until - began)
  const world = worldOf(candidates, decided, random, comparison)
  try {
    const { worth, precision } = resolved.settings
    const rules = {
      worth,
      precision,
      rounds: resolved.rounds,
      fewestWindows: MIN_WINDOWS,
      machineCpus: available,
      isSurvey,
    }
    const decision = await decide(candidates, { ...DEFAULT_RULES, ...rules, until: decided }, world)
    const runs = isSurvey ? NOT_TIMED : await timeBest(candidates, { decision, world, random, comparison })
    const seen = candidates.map((candidate) => seenOf(candidate, { decision, world, runs }))
    return { seen, disturbance: decision }
  } finally {
    await world.end()
  }
}

function worldOf(
  candidates: readonly RowCandidate[],
  until: number,
  random: Random,
  { resolved, surroundings, startedMs, step, available }: Comparison,
): ServerWorld {
  const { file, args, env, settings, signal, onProgress } = resolved
  const seconds = () => (surroundings.now() - startedMs) / 1000
  const tell = (phase: ServerPhase, live: number, best: ServerProgress['best']) =>
    onProgress({ ...step, phase, seconds: seconds(), live, best })
  return createServerWorld({
    ...surroundings,
    file,
    args,
    env,
    connections: settings.connections,
    startedMs,
    until,
    cpus: available,
    random,
    signal,
    onPhase: (phase) => tell(phase, candidates.length - 1, null),
    onLook: (live, best) =>
      tell('measuring', live, best && { name: candidates[Number(best.name)]!.row.name, ratio: best.ratio }),
  })
}

interface Decided {
  readonly decision: Decision
  readonly world: ServerWorld
  readonly random: Random
  readonly comparison: Comparison
}

async function timeBest(
  candidates: readonly RowCandidate[],
  { decision, world, random, comparison }: Decided,
): Promise<ReadonlyMap<ServerRow, LatencyRun[]>> {
  const { resolved, startedMs, until, surroundings, step } = comparison
  const ratioOf = ({ name }: RowCandidate) => decision.results.get(name)?.ratio.value ?? 0
  const [baseline, ...others] = candidates as [RowCandidate, ...RowCandidate[]]
  const best = [...others].sort((a, b) => ratioOf(b) - ratioOf(a))
  const timed = [baseline, ...best].flatMap(({ row }): TimedRow[] => {
    const trial = world.records.get(row)?.trials[0]
    return trial === undefined ? [] : [{ row, trial }]
  })
  const rates = decision.windows
    .filter(({ candidate }) => candidate === baseline.name)
    .map(({ rate }) => rate)
  const seconds = () => (surroundings.now() - startedMs) / 1000
  const leftMs = () => (resolved.signal?.aborted ? 0 : 1000 * (until - seconds()))
  // Also where nothing was told: how long answers take is worth knowing by itself.
  if (timed[0]?.row !== baseline.row || !(mean(rates) > 0) || leftMs() <= 0) return NOT_TIMED
  resolved.onProgress({
    ...step,
    phase: 'timing answers',
    seconds: seconds(),
    live: timed.length - 1,
    best: null,
  })
  return timeRows(timed.slice(0, TIMED), {
    saturation: mean(rates),
    rate: resolved.rate,
    leftMs,
    random,
    rounds: resolved.rounds,
  })
}

function seenOf(
  { name, row }: RowCandidate,
  {
    decision,
    world,
    runs,
  }: Pick<Decided, 'decision' | 'world'> & { runs: ReadonlyMap<ServerRow, LatencyRun[]> },
): SeenRow {
  const record = world.records.get(row)
  return {
    row,
    result: decision.results.get(name),
    failure: decision.failures.get(name),
    rates: decision.windows.filter(({ candidate }) => candidate === name).map(({ rate }) => rate),
    saturations: record?.saturations ?? [],
    latency: runs.get(row) ?? [],
    facts: {
      enforcement: { ...(record?.enforcement ?? { method: 'none', exact: false, note: 'not measured' }) },
      answerBytes: record?.answerBytes ?? null,
      startMs: record?.startMs[0] ?? null,
      connections: record?.plan?.connections ?? null,
    },
  }
}
