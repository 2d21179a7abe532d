// What to run under each CPU limit: the smallest way that is worth having, and why.

import { formatCpus } from '../../cpu/cpu-budget.js'
import type { Interval, NoiseFacts, Reason } from '../results/result.js'
import type { ServerAdvice, ServerCell } from '../results/server-result.js'

export interface ServerFindings {
  readonly cells: readonly ServerCell[]
  readonly noise: NoiseFacts
  readonly worth: number
}

export function adviseServer(found: ServerFindings): ServerAdvice[] {
  const limits = [...new Set(found.cells.map(({ cpus }) => cpus))]
  return limits.map((cpus) => adviseAt(cpus, found))
}

function adviseAt(cpus: number, { cells, noise, worth }: ServerFindings): ServerAdvice {
  const family = cells.filter((cell) => cell.cpus === cpus)
  const [baseline, ...others] = family as [ServerCell, ...ServerCell[]]
  const seen = others.filter(({ failed }) => failed === null)
  // What had too few windows has no ratio; it only leaves the question open.
  const measured = seen.filter(({ ratio }) => Number.isFinite(ratio.value))
  const reasons = reasonsFor(baseline, others, noise)
  const best = bestOf(measured.filter(({ verdict }) => verdict === 'faster'))
  if (best && best.ratio.value >= worth) {
    const chosen = smallestOf(measured.filter((cell) => isAsGood(cell, best, worth)))
    const { way, instances, path, verdict } = chosen
    const rivals = seen.filter((cell) => mightReplace(cell, { chosen, best, worth }))
    const sentence = `${sentenceFor(chosen, baseline)}${doubtAbout(rivals)}`
    return { cpus, way, instances, path, verdict, isSettled: rivals.length === 0, sentence, reasons }
  }
  const nearest = bestOf(measured)
  const isOpen = nearest === undefined || [baseline, ...seen].some((cell) => leavesOpen(cell, worth))
  const sentence =
    noise.verdict === 'unusable'
      ? `Cannot tell at ${formatCpus(cpus)}: the machine was too busy. Measure again while nothing else runs.`
      : sentenceToKeep({ baseline, nearest, isOpen, worth })
  const isSettled = !isOpen && noise.verdict !== 'unusable'
  const verdict = nearest?.verdict ?? 'cannot-tell'
  return { cpus, way: 'single', instances: 1, path: baseline.path, verdict, isSettled, sentence, reasons }
}

/** Whether it might be worth having after all; of one process, whether all ratios to it are in doubt. */
function leavesOpen(cell: ServerCell, worth: number): boolean {
  const { verdict, failed, limitedBecause, isAtLeast, noGain, ratio } = cell
  if (failed !== null || limitedBecause !== null || isAtLeast) return true
  return verdict === 'cannot-tell' && !noGain && !(ratio.high < worth)
}

interface Choice {
  readonly chosen: ServerCell
  readonly best: ServerCell
  readonly worth: number
}

/** Whether it might be advised instead, if all of it could be told. */
function mightReplace(cell: ServerCell, { chosen, best, worth }: Choice): boolean {
  if (cell === chosen || !leavesOpen(cell, worth)) return false
  if (cell.limitedBecause !== null || !Number.isFinite(cell.ratio.high)) return true
  // A lower bound; but where the generator held the chosen one down too, the two can be compared.
  if (cell.isAtLeast && !chosen.isAtLeast) return true
  const most = cell.ratio.high
  const costsLess = smallestOf([cell, chosen]) === cell
  return costsLess
    ? most * (1 + cell.band) >= best.ratio.value
    : most > chosen.ratio.value * (1 + chosen.band)
}

function bestOf(cells: readonly ServerCell[]): ServerCell | undefined {
  return cells.reduce<ServerCell | undefined>(
    (best, cell) => (best && best.ratio.value >= cell.ratio.value ? best : cell),
    undefined,
  )
}

/** Within the band of the best: then what costs less is better. */
function isAsGood(cell: ServerCell, best: ServerCell, worth: number): boolean {
  const isWorth = cell.verdict === 'faster' && cell.ratio.value >= worth
  return isWorth && cell.ratio.value * (1 + cell.band) >= best.ratio.value
}

/** Each instance costs a whole process; one process with threads costs less than two without. */
function smallestOf(cells: readonly ServerCell[]): ServerCell {
  return [...cells].sort((a, b) => a.instances - b.instances || Number(a.way > b.way))[0]!
}

function sentenceFor(cell: ServerCell, baseline: ServerCell): string {
  const { way, instances, path, cpus, isAtLeast, ratio } = cell
  const answers = `${isAtLeast ? 'at least ' : ''}${times(ratio)} the requests of one process`
  const whose = `${path === baseline.path ? '' : ` on ${baseline.path}`}${latencyClause(cell, baseline)}`
  if (way === 'single')
    return `Keep one process at ${formatCpus(cpus)}, and do the work on threads: ${path} answers ${answers}${whose}.`
  const on = path === baseline.path ? '' : ` with the work on threads (${path})`
  return `Run ${plural(instances, 'instance')} at ${formatCpus(cpus)}${on}: they answer ${answers}${whose}.`
}

function doubtAbout(rivals: readonly ServerCell[]): string {
  return rivals.length === 0 ? '' : ` Whether ${names(rivals, 'or')} would be better cannot be told.`
}

interface Kept {
  readonly baseline: ServerCell
  readonly nearest: ServerCell | undefined
  readonly isOpen: boolean
  readonly worth: number
}

function sentenceToKeep({ baseline, nearest, isOpen, worth }: Kept): string {
  const at = formatCpus(baseline.cpus)
  if (baseline.failed !== null) return `One process could not be measured at ${at}: ${baseline.failed}.`
  const why = baseline.limitedBecause
  if (why !== null) return `Cannot tell at ${at}: the load generator was the bottleneck (${why}).`
  if (!nearest && isOpen)
    return `Keep one process at ${at} for now: nothing else could be measured in time; a larger --budget gives it more.`
  if (!nearest) return `Keep one process at ${at}: nothing else could be measured.`
  const figure = `${nearest.name} answers ${times(nearest.ratio)} its requests`
  const latency = latencyClause(nearest, baseline)
  if (isOpen)
    return `Keep one process at ${at} for now: ${figure}, but that cannot be told for sure${latency}.`
  const short = nearest.verdict === 'faster' ? `, less than the ${worth} times that more would be worth` : ''
  return `Keep one process at ${at}: ${figure}${short}${latency}.`
}

/** How long answers take stands beside how many there are: the one may be worth it without the other. */
function latencyClause(cell: ServerCell, baseline: ServerCell): string {
  const [own, other] = [comparedOf(cell), comparedOf(baseline)]
  if (!own || !other || own.p99 === null || other.p99 === null) return ''
  const within = `; at ${perSecond(own.rate)} requests/s 99 of 100 answers come within ${ms(own.p99)}`
  if (cell.latencyVerdict === 'same') return `${within} either way`
  const doubt = cell.latencyVerdict === 'cannot-tell' ? ', too uncertain to tell apart' : ''
  return `${within} instead of ${ms(other.p99)}${doubt}`
}

function comparedOf({ latency }: ServerCell): ServerCell['latency'][number] | undefined {
  return latency.find(({ isCompared }) => isCompared)
}

function reasonsFor(baseline: ServerCell, others: readonly ServerCell[], noise: NoiseFacts): Reason[] {
  const reasons = [
    noisyMachine(noise),
    generatorLimited([baseline, ...others]),
    generatorShared(baseline, others),
    failedRows(others),
    latencyOf(baseline, others),
    noise.verdict === 'unusable' ? null : tooMany(others),
    timeouts([baseline, ...others]),
  ]
  return reasons.filter((reason) => reason !== null)
}

function noisyMachine({ verdict, reasons }: NoiseFacts): Reason | null {
  if (verdict === 'quiet') return null
  const sentence =
    verdict === 'unusable'
      ? `The machine was too busy for a verdict: ${reasons.join(' ')}`
      : `The machine was not quiet, so small differences may be missed: ${reasons.join(' ')}`
  return { id: 'noisy-machine', level: 'warning', sentence, evidence: {} }
}

function generatorLimited(cells: readonly ServerCell[]): Reason | null {
  const limited = cells.filter(({ limitedBecause }) => limitedBecause !== null)
  if (limited.length === 0) return null
  const sentence = `The load generator was the bottleneck (${limited[0]!.limitedBecause}) for ${names(limited)}: no verdict there. A path that does more work, or a smaller limit, leaves the server as the bottleneck.`
  return { id: 'generator-limited', level: 'warning', sentence, evidence: { rows: limited.length } }
}

function generatorShared(baseline: ServerCell, others: readonly ServerCell[]): Reason | null {
  const bounds = [baseline, ...others].filter(({ isAtLeast }) => isAtLeast)
  if (bounds.length === 0) return null
  const generator = Math.max(...bounds.map(({ generatorCpu }) => generatorCpu))
  const sentence = `The load generator used up to ${generator.toFixed(2)} CPUs of the same machine while all CPUs were busy. ${names(bounds)} could have answered more than was measured.`
  return {
    id: 'generator-shares-cpus',
    level: 'warning',
    sentence,
    evidence: { generatorCpu: Number(generator.toFixed(2)), cpus: baseline.cpus },
  }
}

function failedRows(others: readonly ServerCell[]): Reason | null {
  const failed = others.filter(({ failed: why }) => why !== null)
  if (failed.length === 0) return null
  const list = failed.map(({ name, failed: why }) => `${name}: ${why}`).join('; ')
  return { id: 'failed-rows', level: 'warning', sentence: `Not measured: ${list}.`, evidence: {} }
}

function latencyOf(baseline: ServerCell, others: readonly ServerCell[]): Reason | null {
  const told = others.filter(
    ({ latencyVerdict, latencyRatio }) => latencyRatio && latencyVerdict !== 'cannot-tell',
  )
  const shortest = told.reduce<ServerCell | undefined>(
    (a, b) => (a && a.latencyRatio!.value >= b.latencyRatio!.value ? a : b),
    undefined,
  )
  const [own, other] = [comparedOf(baseline), shortest && comparedOf(shortest)]
  if (!shortest || !own || !other || own.p99 === null || other.p99 === null) return null
  const at = `At ${perSecond(own.rate)} requests/s (${Math.round(100 * own.share)} % of what one process can)`
  const both = `99 of 100 answers come within ${ms(own.p99)} from one process and ${ms(other.p99)} from ${shortest.name}`
  const end = shortest.latencyVerdict === 'same' ? ', which is no difference' : ''
  return {
    id: 'latency',
    level: 'hint',
    sentence: `${at} ${both}${end}.`,
    evidence: { verdict: shortest.latencyVerdict },
  }
}

/** More instances than CPUs, compared with the best of those that have one each. */
function tooMany(others: readonly ServerCell[]): Reason | null {
  const known = others.filter(
    ({ failed, way, limitedBecause, ratio }) =>
      failed === null && way === 'cluster' && limitedBecause === null && Number.isFinite(ratio.value),
  )
  const over = known.filter(({ instances, cpus }) => instances > Math.ceil(cpus - 1e-9)).at(-1)
  const within = bestOf(known.filter((cell) => cell.path === over?.path && cell.instances < over.instances))
  if (!over || !within || over.ratio.value >= within.ratio.value * (1 - over.band)) return null
  const sentence = `${over.name} answers fewer requests than ${within.name}: more instances than CPUs only take turns.`
  const evidence = {
    [over.name]: Math.round(over.throughput.median),
    [within.name]: Math.round(within.throughput.median),
  }
  return { id: 'too-many-instances', level: 'hint', sentence, evidence }
}

function timeouts(cells: readonly ServerCell[]): Reason | null {
  const late = cells.filter(({ timeouts: count }) => count > 0)
  if (late.length === 0) return null
  const sentence = `Requests timed out: ${late.map(({ name, timeouts: count }) => `${count} with ${name}`).join(', ')}.`
  return { id: 'timeouts', level: 'warning', sentence, evidence: {} }
}

function names(cells: readonly ServerCell[], last: 'and' | 'or' = 'and'): string {
  return cells.map(({ name }) => name).join(` ${last} `)
}

function times({ value, low, high }: Interval): string {
  return `${value.toFixed(2)} times (95 % interval ${low.toFixed(2)} to ${high.toFixed(2)})`
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function perSecond(rate: number): string {
  return String(rate < 10 ? rate : Math.round(rate))
}

function ms(value: number): string {
  return `${Number(value.toPrecision(3))} ms`
}
