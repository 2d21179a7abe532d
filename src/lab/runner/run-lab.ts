// Runs an experiment on the engine of measure/: fresh processes, shuffled rounds, intervals against a baseline row.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measurableCpus } from '../../cpu/cpu-budget.js'
import { isThreadwiseError } from '../../errors/errors.js'
import { compareFamily } from '../../measure/stats/compare.js'
import { startMachineCheck, type MachineCheck } from '../../measure/machine/machine-check.js'
import { machineFacts } from '../../measure/machine/machine-facts.js'
import { noiseBand } from '../../measure/stats/noise-band.js'
import { createRandom, shuffle, type Random } from '../../measure/stats/random.js'
import type { NoiseFacts } from '../../measure/results/result.js'
import { runRounds, throughputOf, type CellRecord, type Progress } from '../../measure/rounds.js'
import { errorRateOf, summarizeCell } from '../../measure/summarize-cell.js'
import { runTrialProcess } from '../../measure/trial/trial-process.js'
import type { CellPlan, RunTrial, Trial, TrialAnswer, TrialRequest } from '../../measure/trial/trial.js'
import type { ServerProgress } from '../../measure/server/options.js'
import type {
  Experiment,
  Findings,
  MeasuredRow,
  OwnResult,
  Parameters,
  Prepared,
  Row,
  Values,
} from './experiment.js'
import type { LabCell, LabResult } from '../../measure/results/lab-result.js'

export interface LabOptions {
  readonly rounds: number | undefined
  readonly signal: AbortSignal | undefined
  readonly onProgress: (progress: Progress) => void
  /** For experiments that measure servers. */
  readonly onServer?: (progress: ServerProgress) => void
  readonly command: string
  readonly runTrial?: RunTrial
}

const DEFAULT_ROUNDS = 6
const SEED = 1
const NOTHING_FOUND: Findings = { found: [], tables: [], timelines: [] }
const TIMING = { warmUpMs: { least: 80, most: 250 }, measureMs: 250 }

export function runLab<P extends Parameters>(
  experiment: Experiment<P>,
  values: Values<P>,
  options: LabOptions,
): Promise<LabResult> {
  const { rounds: asked, signal, onServer = () => {}, command } = options
  const own = experiment.own?.(values, { rounds: asked, signal, onServer })
  if (own) return own.then((found) => ownResult(experiment, found, command))
  return inTemporaryFolder(experiment.name, async (folder) => {
    const check = await startMachineCheck(measurableCpus())
    const prepared = (await experiment.prepare?.(values, folder)) ?? {}
    try {
      const rows = experiment.rows(values, folder)
      const rounds = options.rounds ?? experiment.rounds ?? DEFAULT_ROUNDS
      const run: Run = { runTrial: runTrialProcess, random: createRandom(SEED), ...options, rounds, check }
      return await measureAndConclude(experiment, { values, rows, prepared, run })
    } finally {
      prepared.cleanUp?.()
    }
  })
}

function ownResult(
  { name, question }: Pick<Experiment, 'name' | 'question'>,
  found: OwnResult,
  command: string,
): LabResult {
  const date = new Date().toISOString()
  return { version: 1, lab: name, question, ...found, cells: [], machine: machineFacts(), command, date }
}

interface Plan<P extends Parameters> {
  readonly values: Values<P>
  readonly rows: Row[]
  readonly prepared: Prepared
  readonly run: Run
}

async function measureAndConclude<P extends Parameters>(
  experiment: Experiment<P>,
  { values, rows, prepared, run }: Plan<P>,
): Promise<LabResult> {
  const burst = experiment.burst?.(values)
  const requestOf = (cell: CellPlan): TrialRequest =>
    burst ? { kind: 'burst', cell, ...burst } : { kind: 'memory', cell }
  const { judge, complete } = await (experiment.mode === 'cell'
    ? measureCells(rows, experiment.baselineOf, run)
    : measureTrials(rows, requestOf, run))
  const noise = run.check.finish()
  const measured = judge(noise)
  const conclusion = experiment.conclude(measured, values)
  const { found, tables, timelines } = (await prepared.inspect?.()) ?? NOTHING_FOUND
  return {
    version: 1,
    lab: experiment.name,
    question: experiment.question,
    ...conclusion,
    remarks: [...(prepared.found ?? []), ...found, ...conclusion.remarks],
    tables: [...conclusion.tables, ...tables],
    timelines,
    cells: cellsOf(measured, rows, experiment.baselineOf),
    machine: machineFacts(),
    noise,
    command: run.command,
    complete,
    date: new Date().toISOString(),
  }
}

/** Rows of bursts and of memory have no cell. */
function cellsOf(measured: readonly MeasuredRow[], rows: Row[], baselineOf: Experiment['baselineOf']) {
  return measured.flatMap(({ label, measured: cell }, index): LabCell[] => {
    const row = rows[index]!
    return cell ? [{ label, baseline: rows.indexOf(baselineOf?.(row, rows) ?? row), ...cell }] : []
  })
}

interface Run extends Required<Omit<LabOptions, 'rounds' | 'signal' | 'onServer'>> {
  readonly rounds: number
  readonly signal: AbortSignal | undefined
  readonly random: Random
  readonly check: MachineCheck
}

interface Measured {
  readonly complete: boolean
  readonly judge: (noise: NoiseFacts) => MeasuredRow[]
}

/** Rows that are compared: each with its baseline, in the same round. */
async function measureCells(rows: Row[], baselineOf: Experiment['baselineOf'], run: Run): Promise<Measured> {
  const { records, complete } = await runRounds({
    ...run,
    cells: rows.map(({ cell }) => cell),
    timingOf: () => TIMING,
    isTimeUp: () => false,
    isDecided: () => false,
    beforeRound: run.check.calibrate,
  })
  const hostCpus = machineFacts().host
  const recordOf = (row: Row) => records[rows.indexOf(row)]!
  const judge = ({ verdict }: NoiseFacts) =>
    rows.map((row): MeasuredRow => {
      const baseline = baselineOf?.(row, rows) ?? row
      const band = noiseBand([], [], run.random)
      const family = { inline: samplesOf(recordOf(baseline)), cells: [samplesOf(recordOf(row))], band }
      const [comparison] = compareFamily({ ...family, usable: verdict !== 'unusable' }, run.random)
      const inlineErrorRate = errorRateOf(recordOf(baseline))
      const judgement = { ...comparison!, band: band.delta, hostCpus, inlineErrorRate }
      const measured = summarizeCell(recordOf(row), run.rounds, judgement)
      return { ...row, measured, ...(measured.failed !== null && { failed: measured.failed }) }
    })
  return { complete, judge }
}

/** Rows that are only looked at: bursts, and memory. */
async function measureTrials(
  rows: Row[],
  requestOf: (cell: CellPlan) => TrialRequest,
  { rounds, random, runTrial, signal, onProgress, check }: Run,
): Promise<Measured> {
  const answers = new Map<Row, TrialAnswer[]>(rows.map((row) => [row, []]))
  const total = rounds * rows.length
  let done = 0
  for (let round = 1; round <= rounds; round++) {
    if (signal?.aborted) break
    check.calibrate()
    for (const row of shuffle(rows, random)) {
      if (signal?.aborted) break
      const { cell } = row
      const answer = await tryTrial(() => runTrial(requestOf(cell), { cpus: cell.cpus, uv: cell.uv, signal }))
      if (!signal?.aborted) answers.get(row)!.push(answer)
      onProgress({ round, rounds, done: ++done, total, cell })
    }
  }
  return {
    complete: done === total && !signal?.aborted, // the last trial may be the one that was interrupted
    judge: () => rows.map((row) => ({ ...row, ...sortAnswers(answers.get(row)!) })),
  }
}

async function tryTrial(run: () => Promise<Trial>): Promise<TrialAnswer> {
  try {
    return (await run()).answer
  } catch (error) {
    if (isThreadwiseError(error)) return { kind: 'failed', reason: error.message }
    throw error
  }
}

function sortAnswers(answers: readonly TrialAnswer[]): Pick<MeasuredRow, 'bursts' | 'memory' | 'failed'> {
  const failed = answers.find((answer) => answer.kind === 'failed')
  return {
    bursts: answers.filter((answer) => answer.kind === 'burst'),
    memory: answers.filter((answer) => answer.kind === 'memory'),
    ...(failed && { failed: failed.reason }),
  }
}

function samplesOf({ trials }: CellRecord): (number | null)[] {
  return Array.from(trials, throughputOf)
}

// A folder for what an experiment needs while it runs: it goes with it, however it ends.

export async function inTemporaryFolder<T>(name: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), `threadwise-${name}-`))
  try {
    return await use(folder)
  } finally {
    // A store that ends at the same time may still put files there.
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}
