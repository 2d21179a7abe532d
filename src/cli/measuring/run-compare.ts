// `threadwise compare`: finds the versions, compares them, prints the result, checks what is expected.

import { checkOption } from '../../errors/check-options.js'
import { checkExpectations, type CompareExpectation } from '../../measure/compare/expectation.js'
import type { CompareProgress } from '../../measure/compare/options.js'
import type { CompareResult } from '../../measure/results/compare-result.js'
import { formatCompare } from '../../measure/report/terminal/terminal.js'
import { renderCompareHtml } from '../../measure/report/html.js'
import { createProgressOf, type StepText } from '../terminal/progress.js'
import { runInterruptibly } from '../terminal/interrupt.js'
import { writePage, writeResult } from '../terminal/write-result.js'
import { checkCompareFlags, compareOnce, type CompareFlags } from './compare-once.js'
import { comparedVersions } from './compared-versions.js'
import { runBisect } from './run-bisect.js'
import { compareStepSummary, writeStepSummary } from './step-summary.js'

/** The exit code. */
export async function runCompare(files: readonly string[], flags: CompareFlags): Promise<number> {
  checkFlags(flags)
  checkCompareFlags(flags)
  const { expect = [], strict = false } = flags
  checkOption(!strict || expect.length > 0, 'strict', 'used together with --expect', strict)
  const progress = createProgressOf(process.stderr, describe)
  const note = (text: string) => progress.note(text)
  const { result, signal } = await runInterruptibly(progress, async (signal) => {
    const onProgress = (step: CompareProgress) => progress.show(step)
    if (flags.bisect !== undefined)
      return runBisect(files, { ...flags, range: flags.bisect }, { signal, note, onProgress })
    const { versions, release } = await comparedVersions(files, flags, { signal, note })
    note('Looking at the machine and at the results of each version ...')
    return compareOnce(versions, flags, { signal, onProgress, ...gateOf(expect) }).finally(release)
  })
  if (result === null) return 130
  writeResult(result, flags.json, formatCompare)
  if (flags.html !== undefined) writePage(flags.html, renderCompareHtml(result), note)
  if (flags.bisect !== undefined) {
    writeStepSummary(compareStepSummary(result, []), note)
    return exitCodeOfBisect(result, signal)
  }
  const missed = tellMissed(result, flags, note)
  return exitCode(result, { signal, missed, expect })
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

/** A commit that was found is what was asked for. */
function exitCodeOfBisect(result: CompareResult, { aborted }: AbortSignal): number {
  if (aborted) return 130
  if (result.bisect?.first) return 0
  const isSearched = (result.bisect?.suspects.length ?? 0) > 0
  return isUnusable(result) && !isSearched ? 3 : 1
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
