// A measurement from start to end: scout, plan, rounds, verdicts, advice.

import { ThreadwiseError } from '../errors/errors.js'
import { measurableCpus } from '../cpu/cpu-budget.js'
import { advise } from './advise.js'
import { isDecided, judgeCells } from './judge-cells.js'
import { startMachineCheck } from './machine/machine-check.js'
import { machineFacts } from './machine/machine-facts.js'
import { resolveOptions, type MeasureOptions, type ResolvedOptions } from './options.js'
import { createPace } from './pace.js'
import { planCells } from './plan-cells.js'
import { predict } from './demand-model.js'
import { createRandom, type Random } from './stats/random.js'
import type { MeasureResult, NoiseFacts, Scout, Settings, WorkloadFacts } from './results/result.js'
import { runRounds, type CellRecord } from './rounds.js'
import { runTrialProcess } from './trial/trial-process.js'
import type { RunTrial } from './trial/trial.js'
import { loadWorkload, workloadUrl, type WorkloadSource } from './trial/workload.js'

/** What a measurement takes from outside: the real ones, or exact fakes in tests. */
export interface Surroundings {
  readonly runTrial: RunTrial
  readonly startMachineCheck: typeof startMachineCheck
}

/**
 * Measures a workload on every executor, size and CPU limit that the options name, and says which one to use.
 *
 * Each trial is a fresh process; each round measures every cell once, in random order; each cell is compared with inline
 * of the same round. See docs/measuring.md.
 *
 * @param file a workload file, or a task module together with `task`
 * @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_INVALID_OPTION; the reason of `signal` when it is aborted before the first round.
 *   A cell that fails does not throw; it is reported as failed.
 * @example
 * const result = await measure(new URL('./render.workload.js', import.meta.url), { cpus: [0.6, 2], quick: true })
 * console.log(result.advice[0].sentence)
 */
export async function measure(
  file: string | URL,
  options: MeasureOptions = {},
  surroundings: Surroundings = { runTrial: runTrialProcess, startMachineCheck },
): Promise<MeasureResult> {
  const resolved = resolveOptions(options)
  const { settings } = resolved
  const started = performance.now()
  const source = sourceOf(file, options)
  const check = await surroundings.startMachineCheck(measurableCpus())
  const workload = await describeWorkload(String(file), source, resolved, surroundings.runTrial)
  const cells = planCells({ ...resolved, source, scout: workload.scout, quick: settings.quick })
  const isHard = options.budget !== undefined
  const pace = createPace({ ...resolved, scout: workload.scout, started, isHard })
  const random = createRandom(settings.seed)
  const { records, complete } = await runRounds({
    cells,
    rounds: settings.rounds,
    runTrial: (request, where) => pace.time(() => surroundings.runTrial(request, where)),
    timingOf: pace.timingOf,
    isTimeUp: pace.isTimeUp,
    isDecided: (record, all) => isDecided(record, all, settings),
    beforeRound: check.calibrate,
    random,
    signal: resolved.signal,
    onProgress: resolved.onProgress,
  })
  return conclude({ records, complete, workload, settings, noise: check.finish(), random })
}

interface Outcome {
  readonly records: CellRecord[]
  readonly complete: boolean
  readonly workload: WorkloadFacts
  readonly settings: Settings
  readonly noise: NoiseFacts
  readonly random: Random
}

function conclude({ records, complete, workload, settings, noise, random }: Outcome): MeasureResult {
  const available = records.filter((record) => record.unavailable === undefined)
  const machine = machineFacts()
  const { cells, bandOf } = judgeCells(available, { settings, noise, hostCpus: machine.host }, random)
  const { variants, scout } = workload
  return {
    version: 1,
    date: new Date().toISOString(),
    workload,
    machine,
    noise,
    settings,
    cells,
    skipped: skippedLimits(records),
    advice: advise({ cells, variants, scout, settings, noise, bandOf }),
    predictions: Object.keys(variants).flatMap((variant) =>
      predict(
        cells.filter((cell) => cell.variant === variant),
        scout[variant]!,
      ),
    ),
    complete,
  }
}

function skippedLimits(records: readonly CellRecord[]): MeasureResult['skipped'] {
  const reasons = new Map<number, string>()
  for (const { cell, unavailable } of records)
    if (unavailable !== undefined) reasons.set(cell.cpus, unavailable)
  return [...reasons].map(([cpus, reason]) => ({ cpus, reason }))
}

function sourceOf(file: string | URL, { task, args = [[]] }: MeasureOptions): WorkloadSource {
  const url = workloadUrl(file)
  return task === undefined ? { kind: 'file', url } : { kind: 'task', url, task, inputs: args }
}

/** The likeliest mistake is to leave the arguments out. */
function howCalled(source: WorkloadSource): string {
  const hasNone = source.kind === 'task' && source.inputs.every((input) => input.length === 0)
  return hasNone ? "called without arguments (--args '[[1, 2]]' gives some), " : ''
}

async function describeWorkload(
  file: string,
  source: WorkloadSource,
  { settings, signal }: ResolvedOptions,
  runTrial: RunTrial,
): Promise<WorkloadFacts> {
  const { module, variants } = await loadWorkload(source)
  const scout: Record<string, Scout> = {}
  for (const variant of Object.keys(variants)) {
    const request = { kind: 'scout', source, variant, measureMs: settings.trialMs } as const
    const { answer } = await runTrial(request, { cpus: measurableCpus(), uv: null, signal })
    signal?.throwIfAborted() // nothing is known yet that a result could hold
    if (answer.kind !== 'scout') {
      const reason = `a call of ${variants[variant]} failed: ${answer.kind === 'failed' ? answer.reason : 'no answer'}`
      throw new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
    }
    if (answer.scout.errorRate === 1) {
      const reason = `${howCalled(source)}every call of ${variants[variant]} failed: ${answer.scout.firstError}`
      throw new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
    }
    scout[variant] = answer.scout
  }
  return { file, module, variants: { ...variants }, scout }
}
