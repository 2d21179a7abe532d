// `threadwise compare`: finds the versions, compares them, prints the result, checks what is expected.

import { checkOption } from '../../errors/check-options.js'
import { compare } from '../../measure/compare/compare.js'
import { compareServers } from '../../measure/compare/compare-servers.js'
import { checkExpectations, type CompareExpectation, type Missed } from '../../measure/compare/expectation.js'
import type { CompareProgress } from '../../measure/compare/options.js'
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
  const { args, budget, processes, seed, expect = [], strict = false, json, html } = flags
  checkFlags(flags)
  checkOption(!strict || expect.length > 0, 'strict', 'used together with --expect', strict)
  const progress = createProgressOf(process.stderr, describe)
  const { result, signal } = await runInterruptibly(progress, async (signal) => {
    const note = (text: string) => progress.note(text)
    const { versions, release } = await comparedVersions(files, flags, { signal, note })
    note('Looking at the machine and at the results of each version ...')
    const common = {
      ...{ budget, processes, seed, signal, ...gateOf(expect) },
      onProgress: (step: CompareProgress) => progress.show(step),
      command: repeatCommand('compare', process.argv.slice(3)),
    }
    const { path, rate, connections } = flags
    const run = flags.server ? compareServers(versions, { ...common, path, rate, connections }) : compare(versions, { ...common, args }) // prettier-ignore
    return run.finally(release)
  })
  if (result === null) return 130
  writeResult(result, json, formatCompare)
  if (html !== undefined) writePage(html, renderCompareHtml(result), (text) => progress.note(text))
  const checked = isUnusable(result) ? { missed: [], untold: [] } : checkExpectations(result, expect)
  if (isUnusable(result) && expect.length > 0)
    progress.note('Not checked: this machine was too busy for a verdict.')
  const missed = strict ? [...checked.missed, ...checked.untold] : checked.missed
  writeStepSummary(compareStepSummary(result, missed), (text) => progress.note(text))
  if (!strict && expect.length > 0)
    for (const sentence of checked.untold) progress.note(`Notice: ${sentence}`)
  for (const sentence of missed) progress.note(`Missed: ${sentence}`)
  return exitCode(result, signal, missed)
}

/** An option that would be ignored is a mistake of the user. */
function checkFlags({ server, task, args, variants, path, rate, connections }: CompareFlags): void {
  const wrong = server ? { task, args, variants } : { path, rate, connections }
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

function exitCode(result: CompareResult, signal: AbortSignal, missed: Missed['missed']): number {
  if (signal.aborted) return 130
  if (isUnusable(result)) return 3
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
