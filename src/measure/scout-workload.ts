// Finds out what the tasks of a workload do, before anything is compared.

import { measurableCpus } from '../cpu/cpu-budget.js'
import { checkOption } from '../errors/check-options.js'
import { reviveThreadwiseError, ThreadwiseError } from '../errors/errors.js'
import { quoted } from './findings/wording.js'
import type { MeasureOptions, ResolvedOptions } from './options.js'
import type { Cell, Scout, WorkloadFacts } from './results/result.js'
import type { Outside } from './world/task-world-options.js'
import { isFailed, type WorkloadNames } from './trial/trial.js'
import { loadWorkload, workloadUrl, type WorkloadSource } from './trial/workload.js'

/** Of short calls, so long. */
const SCOUT_MS = 300

/** Of the budget: a call that takes longer cannot be compared with anything. At least so many milliseconds. */
const SHARE = 0.5
const LOAD_MS = 30_000
const LEAST_MS = 2000

export function workloadSource(file: string | URL, { task, args }: MeasureOptions): WorkloadSource {
  const url = workloadUrl(file)
  const isUsed = args === undefined || task !== undefined
  checkOption(args === undefined || isLists(args), 'args', 'a list of argument lists, such as [[1, 2]]', args)
  checkOption(isUsed, 'args', 'used together with task: a workload file has its own inputs', args)
  return task === undefined ? { kind: 'file', url } : { kind: 'task', url, task, inputs: args ?? [[]] }
}

function isLists(args: unknown): boolean {
  return Array.isArray(args) && args.length > 0 && args.every((one) => Array.isArray(one))
}

/** @throws TW_ERR_WORKLOAD_INVALID; the reason of the signal, when it is aborted meanwhile */
export async function scoutWorkload(
  file: string,
  source: WorkloadSource,
  { settings, secondsForEach, signal }: ResolvedOptions,
  startTrial: Outside['startTrial'],
): Promise<WorkloadFacts> {
  const { module, variants } =
    source.kind === 'task'
      ? await loadWorkload(source)
      : await describeWorkload(file, source, { startTrial, signal })
  const scout: Record<string, Scout> = {}
  const patienceMs = Math.max(LEAST_MS, 1000 * SHARE * (settings.budgetSeconds ?? secondsForEach))
  for (const variant of Object.keys(variants)) {
    signal?.throwIfAborted() // nothing is known yet that a result could hold
    const task = variants[variant]!
    const trial = await startTrial({ cpus: measurableCpus(), uv: null, signal })
    const asked = { source, variant, measureMs: SCOUT_MS }
    const answer = await trial.ask('scout', asked, patienceMs).finally(() => trial.kill())
    signal?.throwIfAborted()
    if (isFailed(answer)) throw invalid(file, reasonOf(task, answer.failed, patienceMs))
    if (answer.errorRate === 1) throw invalid(file, whyFailed(source, task, String(answer.firstError)))
    scout[variant] = answer
  }
  return { file, module, variants: { ...variants }, scout }
}

/** In a process of its own, which runs the user's code and may print, as what it runs later does: standard output is the result's. */
async function describeWorkload(
  file: string,
  source: WorkloadSource,
  { startTrial, signal }: { startTrial: Outside['startTrial']; signal: AbortSignal | undefined },
): Promise<WorkloadNames> {
  const trial = await startTrial({ cpus: measurableCpus(), uv: null, signal })
  const answer = await trial.ask('describe', { source }, LOAD_MS).finally(() => trial.kill())
  signal?.throwIfAborted()
  if (isFailed(answer)) throw invalid(file, answer.failed)
  if (!('unusable' in answer)) return answer
  const { code, message } = answer.unusable
  throw Object.assign(reviveThreadwiseError(message), { name: 'ThreadwiseError', code })
}

function whyFailed(source: WorkloadSource, task: string, firstError: string): string {
  const [, missing] = /^ThreadwiseError: .* (exports no function named .*)$/.exec(firstError) ?? []
  return missing ? `it ${missing}` : `${howCalled(source)}every call of ${task} failed: ${firstError}`
}

/** The likeliest mistake is to leave the arguments out. */
function howCalled(source: WorkloadSource): string {
  const hasNone = source.kind === 'task' && source.inputs.every((input) => input.length === 0)
  return hasNone ? "called without arguments (--args '[[1, 2]]' gives some), " : ''
}

function reasonOf(task: string, failed: string, patienceMs: number): string {
  if (/^ThreadwiseError: A worker could not start/.test(failed)) return quoted(failed)
  const [, code] = /^its process ended with exit code (\d+)$/.exec(failed) ?? []
  if (code !== undefined)
    return `a call of ${task} ended its process, as process.exit() does (exit code ${code})`
  if (!failed.startsWith('it did not answer')) return `a call of ${task} failed: ${failed}`
  const time = `${Number((patienceMs / 1000).toPrecision(2))} s`
  return `a call of ${task} did not end within ${time}: either it never does, or it needs more time than --budget gives`
}

function invalid(file: string, reason: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', { file, reason })
}

/**
 * The same facts with the time of a call as it was measured: the first look is short and cold, and one report should not give two
 * figures for one thing. From the largest limit, where no quota stretches a call.
 */
export function scoutsAsMeasured(
  scouts: Readonly<Record<string, Scout>>,
  cells: readonly Cell[],
): Record<string, Scout> {
  const entries = Object.entries(scouts).map(([variant, scout]): [string, Scout] => {
    const inline = cells
      .filter((cell) => cell.variant === variant && cell.executor === 'inline' && cell.uv === null)
      .filter(({ failed, cpus }) => failed === null && cpus >= 1)
      .sort((a, b) => b.cpus - a.cpus)[0]
    const callMs = inline?.latency.p50 ?? null
    if (callMs === null) return [variant, scout]
    const callUs = 1000 * callMs
    return [variant, { ...scout, callUs, cpuUs: scout.cpuShare * callUs }]
  })
  return Object.fromEntries(entries)
}
