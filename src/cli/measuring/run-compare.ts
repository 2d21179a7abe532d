// `threadwise compare`: finds the versions, compares them, prints the result, checks what is expected.

import { checkOption } from '../../errors/check-options.js'
import { compare } from '../../measure/compare/compare.js'
import { compareServers } from '../../measure/compare/compare-servers.js'
import { checkExpectations, type CompareExpectation } from '../../measure/compare/expectation.js'
import type { CompareOptions, CompareProgress, VersionOptions } from '../../measure/compare/options.js'
import type { CompareResult } from '../../measure/results/compare-result.js'
import { formatCompare } from '../../measure/report/terminal/terminal.js'
import { renderCompareHtml } from '../../measure/report/html.js'
import { createProgressOf, type StepText } from '../terminal/progress.js'
import { repeatCommand } from '../terminal/repeat-command.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { writePage, writeResult } from '../terminal/write-result.js'
import { comparedVersions, type VersionFlags } from './compared-versions.js'
import { compareStepSummary, writeStepSummary } from './step-summary.js'

export interface CompareFlags extends VersionFlags {
  args?: unknown[][]
  executor?: CompareOptions['executor']
  size?: number
  cpus?: number
  path?: string
  rate?: number
  connections?: number
  budget?: number
  processes?: number
  seed?: number
  expect?: CompareExpectation[]
  strict?: boolean
  json?: string
  html?: string
}

/** The exit code. */
export async function runCompare(files: readonly string[], flags: CompareFlags): Promise<number> {
  checkFlags(flags)
  const { expect = [], strict = false } = flags
  checkOption(!strict || expect.length > 0, 'strict', 'used together with --expect', strict)
  const progress = createProgressOf(process.stderr, describe)
  const note = (text: string) => progress.note(text)
  const { result, signal } = await runInterruptibly(progress, async (signal) => {
    const { versions, release } = await comparedVersions(files, flags, { signal, note })
    note('Looking at the machine and at the results of each version ...')
    const onProgress = (step: CompareProgress) => progress.show(step)
    return compareOnce(versions, flags, { signal, onProgress }).finally(release)
  })
  if (result === null) return 130
  writeResult(result, flags.json, formatCompare)
  if (flags.html !== undefined) writePage(flags.html, renderCompareHtml(result), note)
  const missed = tellMissed(result, flags, note)
  return exitCode(result, { signal, missed, expect })
}

function compareOnce(
  versions: readonly VersionOptions[],
  flags: CompareFlags,
  outside: Pick<CompareOptions, 'signal' | 'onProgress'>,
): Promise<CompareResult> {
  const { server, budget, processes, seed, cpus, expect = [] } = flags
  const command = repeatCommand('compare', process.argv.slice(3))
  const common = { ...outside, budget, processes, seed, cpus, ...gateOf(expect), command }
  const { path, rate, connections, args, executor, size } = flags
  return server
    ? compareServers(versions, { ...common, path, rate, connections })
    : compare(versions, { ...common, args, executor, size })
}

/** Time on a machine that was too busy is nobody's fault. What is counted is exact there, too. */
function tellMissed(
  result: CompareResult,
  { expect = [], strict = false }: CompareFlags,
  note: (text: string) => void,
): string[] {
  const isBusy = isUnusable(result)
  const checked = isBusy ? expect.filter(isCounted) : expect
  const { missed: sure, untold } = checkExpectations(isBusy ? { ...result, skipped: [] } : result, checked)
  if (checked.length < expect.length) note('Time was not checked: this machine was too busy for a verdict.')
  const missed = strict ? [...sure, ...untold] : [...sure]
  writeStepSummary(compareStepSummary(result, missed), note)
  if (!strict && expect.length > 0) for (const sentence of untold) note(`Notice: ${sentence}`)
  for (const sentence of missed) note(`Missed: ${sentence}`)
  return missed
}

function isCounted({ metric }: CompareExpectation): boolean {
  return metric === 'allocated' || metric === 'memory'
}

/** An option that would be ignored is a mistake of the user. */
function checkFlags(flags: CompareFlags): void {
  const { server, task, args, variants, executor, size, path, rate, connections } = flags
  const wrong = server ? { task, args, variants, executor, size } : { path, rate, connections }
  const expected = server ? 'left out with --server: it is for functions' : 'used together with --server'
  for (const [name, value] of Object.entries(wrong)) checkOption(value === undefined, name, expected, value)
}

/** The smallest tolerance for time decides when the run has seen enough; of another figure none does. */
function gateOf(expect: readonly CompareExpectation[]): { tolerance?: number; isGate?: boolean } {
  const times = expect.filter(({ metric }) => metric === 'time' || metric === 'cpu').map(({ most }) => most)
  return times.length === 0 ? {} : { tolerance: Math.min(...times), isGate: true }
}

function isUnusable({ noise }: CompareResult): boolean {
  return noise.verdict === 'unusable'
}

interface Outcome {
  readonly signal: AbortSignal
  readonly missed: readonly string[]
  readonly expect: readonly CompareExpectation[]
}

function exitCode(result: CompareResult, { signal, missed, expect }: Outcome): number {
  if (signal.aborted) return 130
  const isTold = expect.length > 0 && (missed.length > 0 || expect.every(isCounted))
  if (isUnusable(result) && !isTold) return 3
  if (result.comparisons.length === 0) return 1
  return missed.length > 0 ? 1 : 0
}

function describe(step: CompareProgress): StepText {
  const { workload, number, count, phase, seconds, budgetSeconds, ratio } = step
  const which = count > 1 ? ` (${number}/${count})` : ''
  const so = ratio === null ? '' : `; so far ${ratio.toFixed(3)}x of the time`
  const time = `${Math.round(seconds)} of at most ${Math.round(budgetSeconds)} s,`
  return { text: `${time} ${workload}${which}: ${phase}${so}`, part: `${number} ${phase}` }
}
