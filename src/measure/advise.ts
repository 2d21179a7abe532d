// Turns measured cells into advice: the smallest executor that is worth having, or inline, in a sentence with its evidence.

import { cannotTellWhy, disturbanceOf, longer } from './findings/cannot-tell.js'
import { findReasons } from './findings/all-findings.js'
import {
  NOT_MEASURED,
  bandOf,
  byCost,
  cannotGain,
  challengers,
  hopefuls,
  inlineCell,
  isOpen,
  maxBy,
  nearestOf,
  unable,
  worked,
  type FindingContext,
} from './findings/context.js'
import { freeingCell } from './findings/loop-blocked.js'
import {
  asClause,
  cpusOf,
  duration,
  giving,
  loopClause,
  nameOf,
  namesOf,
  percent,
  placeOf,
  quoted,
  range,
  times,
} from './findings/wording.js'
import { isMoreOften, type Frequency } from './stats/more-often.js'
import type { Advice, Cell, Course, NoiseFacts, Scout, Settings, Verdict } from './results/result.js'

/** A cell whose calls throw more often than those of inline, by more than this share and beyond chance, did other work. */
const ERROR_MARGIN = 0.01

/** Loop delays closer than this factor are alike. */
const SIMILAR_DELAY = 1.25

/** Throttling worth a word in the sentence, in % of the time. */
const THROTTLED_PERCENT = 20

export interface AdviseInput {
  cells: readonly Cell[]
  /** variant -> name of the task, as in WorkloadFacts. */
  variants: Record<string, string>
  scout: Record<string, Scout>
  settings: Settings
  noise: NoiseFacts
  courses: readonly Course[]
}

/** The result of a decision: `cell` is null when nothing worked, and then the advice is inline. */
interface Choice {
  cell: Cell | null
  verdict: Verdict
  sentence: string
  /** Default: that there is a verdict. */
  isSettled?: boolean
}

/** Everything but the choice that the decision is about. */
type Situation = Omit<FindingContext, 'chosen'>

/**
 * One piece of advice for each CPU limit (ascending) and variant.
 *
 * Anything but inline needs the verdict `faster` and a ratio of `settings.worth` or more; of those within the band of the best, or
 * within one standard error of it, the smallest wins. With the goal `responsive` only cells count whose loop delay (p99) is within
 * the budget, and where none of them is worth it for speed and inline exceeds the budget, the smallest one is advised for
 * responsiveness. The sentence tells of both, whatever the goal.
 */
export function advise(input: AdviseInput): Advice[] {
  const limits = [...new Set(input.cells.map((cell) => cell.cpus))].sort((a, b) => a - b)
  return limits.flatMap((cpus) =>
    [...new Set(input.cells.map((cell) => cell.variant))].flatMap((variant) => {
      const cells = input.cells.filter((cell) => cell.cpus === cpus && cell.variant === variant)
      return cells.length === 0 ? [] : [adviseOne(variant, situationOf(input, variant, cells))]
    }),
  )
}

function situationOf(input: AdviseInput, variant: string, cells: Cell[]): Situation {
  const cpus = (cells[0] as Cell).cpus
  return {
    task: input.variants[variant] ?? variant,
    cpus,
    cells,
    scout: input.scout[variant] ?? null,
    settings: input.settings,
    noise: input.noise,
    course: input.courses.find((course) => course.variant === variant && course.cpus === cpus) ?? null,
    band: bandOf(cells),
  }
}

function adviseOne(variant: string, situation: Situation): Advice {
  const { cell, verdict, sentence, isSettled = verdict !== 'cannot-tell' } = choose(situation)
  return {
    cpus: situation.cpus,
    variant,
    executor: cell?.executor ?? 'inline',
    size: cell?.size ?? 1,
    uv: cell?.uv ?? null,
    verdict,
    isSettled,
    sentence,
    reasons: findReasons({ ...situation, chosen: cell }),
  }
}

function choose(situation: Situation): Choice {
  const { cells, noise, settings } = situation
  const inline = inlineCell(cells)
  const isNothingKnown = cells.every(({ failed }) => failed === NOT_MEASURED)
  if (noise.verdict === 'unusable' && (inline !== null || isNothingKnown))
    return keepOnUnusable(situation, inline)
  if (inline === null) return isNothingKnown ? keepUnmeasured(situation) : chooseWithoutInline(situation)
  if (settings.goal.kind === 'responsive' && worked(cells).some((cell) => cell.loopDelay.p99 !== null)) {
    return chooseResponsive(situation, inline, settings.goal.loopDelayMs)
  }
  const rivals = challengers(cells)
  const winner = smallestWinner(situation, inline, rivals)
  return winner ? runForSpeed(situation, inline, winner) : keepInline(situation, inline, rivals)
}

function smallestWinner({ settings, band }: Situation, inline: Cell, rivals: Cell[]): Cell | undefined {
  const worthy = rivals.filter(
    (cell) =>
      cell.verdict === 'faster' && cell.ratio.value >= settings.worth && !throwsMoreThan(inline, cell),
  )
  const best = nearestOf(worthy)
  return worthy.filter((cell) => best && isNear(cell, best, band.high)).sort(byCost)[0]
}

/** Within the band of the best, or within one standard error of the difference. */
function isNear(cell: Cell, best: Cell, band: number): boolean {
  const error = Math.hypot(cell.standardError ?? 0, best.standardError ?? 0)
  return Math.log(best.ratio.value / cell.ratio.value) <= Math.max(Math.log(band), error)
}

function runForSpeed({ task, cpus }: Situation, inline: Cell, cell: Cell): Choice {
  const gain = `${times(cell.ratio.value)} the calls of inline (95 % interval ${range(cell.ratio)}) at ${cpusOf(cpus)}`
  const sentence = `Run ${task} ${placeOf(cell)}: ${gain}${loopClause(inline, cell, ', and')}.`
  return { cell, verdict: cell.verdict, sentence }
}

/** `before` is further evidence for inline, said first. */
function keepInline(situation: Situation, inline: Cell, rivals: Cell[], before = ''): Choice {
  const hopeful = hopefuls(rivals, situation.scout)
  const nearest = nearestOf(hopeful)
  if (nearest === undefined) return keepAlone(situation, inline, before)
  const undecided = nearestOf(hopeful.filter((cell) => isOpen(cell, situation)))
  if (undecided !== undefined) return keepForNow(situation, inline, undecided, before)
  const lost = unable(situation.cells)
  const figures = `${lost.length > 0 ? `${unableClause(lost)}, and ` : ''}${giving(nearest)} ${times(nearest.ratio.value)} the calls (${range(nearest.ratio)}), ${shortfall(situation, inline, nearest)}${stalls(inline, nearest)}`
  const freeing = freeingCell(situation)
  const sentence =
    freeing === null
      ? `${keeping(situation)}: ${before}${figures}${loopClause(inline, nearest, '; with')}.`
      : `${blocks(situation, inline, freeing)} For throughput keep it inline: ${figures}.`
  return { cell: inline, verdict: nearest.verdict, isSettled: true, sentence }
}

/** Nothing has a ratio that counts. That is settled once it is known of each why. */
function keepAlone(situation: Situation, inline: Cell, before: string): Choice {
  const others = situation.cells.filter((cell) => cell !== inline)
  const lost = unable(others)
  const open = others.filter((cell) => !lost.includes(cell) && !isKnown(cell, situation))
  const useless = open.filter((cell) => cannotGain(cell, situation))
  const isSettled = others.length > 0 && open.length === useless.length
  const clauses = [
    lost.length === others.length && isSettled && 'nothing else runs it',
    lost.length > 0 && unableClause(lost),
    isSettled && useless.length === 0 && lost.length < others.length && 'nothing else qualifies',
    isSettled &&
      useless.length > 0 &&
      `calls that compute all the time gain nothing from ${namesOf(useless)}`,
    !isSettled && openClause(situation, open),
  ]
  const keep = `${keeping(situation)}${isSettled ? '' : ' for now'}: ${before}`
  const sentence = `${keep}${clauses.filter(Boolean).join(lost.length === others.length ? ': ' : ', and ')}.`
  return { cell: inline, verdict: 'cannot-tell', isSettled, sentence }
}

function openClause({ course, settings }: Situation, open: readonly Cell[]): string {
  if (open.length === 0) return 'nothing else was measured'
  const { why, remedy } = disturbanceOf(course) ?? { why: 'the time was up', remedy: longer(settings) }
  return `${namesOf(open)} could not be compared, since ${why}; ${remedy}`
}

/** Measured well enough to be left out for what was seen. */
function isKnown(cell: Cell, { settings: { goal } }: Situation): boolean {
  return (
    cell.failed === null &&
    Number.isFinite(cell.ratio.value) &&
    (goal.kind === 'throughput' || cell.loopDelay.p99 !== null)
  )
}

/** "2 threads and 2 processes fail (the port is taken)". */
function unableClause(lost: readonly Cell[]): string {
  return `${namesOf(lost)} ${lost.length > 1 || lost[0]!.size > 1 ? 'fail' : 'fails'} (${quoted(lost[0]!.failed ?? '')})`
}

function keeping({ task, cpus }: Situation): string {
  return `Keep ${task} inline at ${cpusOf(cpus)}`
}

/** What matters more to whoever serves requests beside it comes first. */
function blocks({ task, cpus }: Situation, inline: Cell, freeing: Cell): string {
  const blocked = `Inline, ${task} makes the loop ${late(delayOf(inline))} late (p99) at ${cpusOf(cpus)}`
  return `${blocked}; on ${nameOf(freeing)} it is ${late(delayOf(freeing))}, at ${times(freeing.ratio.value)} the calls: run it there if other requests wait.`
}

function keepForNow(situation: Situation, inline: Cell, undecided: Cell, before: string): Choice {
  const { task, cpus } = situation
  const { why, remedy } = cannotTellWhy(situation, undecided)
  const freeing = freeingCell(situation)
  const figure = `${giving(undecided)} ${times(undecided.ratio.value)} the calls, but the 95 % interval of ${range(undecided.ratio)} is too wide to tell`
  const sentence =
    freeing === null
      ? `Keep ${task} inline at ${cpusOf(cpus)} for now: ${before}${figure}, since ${why}; ${remedy}${loopClause(inline, undecided, '; with')}.`
      : `${blocks(situation, inline, freeing)} Whether more calls are made there cannot be told yet: ${figure}, since ${why}; ${remedy}.`
  return { cell: inline, verdict: 'cannot-tell', sentence }
}

function shortfall({ settings, scout }: Situation, inline: Cell, nearest: Cell): string {
  if (nearest.verdict === 'same') return 'which is no gain'
  if (nearest.verdict === 'slower') return 'which is slower'
  if (nearest.verdict === 'cannot-tell' && cannotGain(nearest, { scout, settings }))
    return 'and calls that compute all the time gain nothing where one runs at a time'
  if (nearest.ratio.value < settings.worth)
    return `less than the ${times(settings.worth)} that would be worth it`
  return `but ${percent(nearest.errorRate * 100)} of its calls threw (inline ${percent(inline.errorRate * 100)})`
}

function stalls(inline: Cell, nearest: Cell): string {
  const throttled = nearest.throttled ?? 0
  if (throttled < THROTTLED_PERCENT || throttled <= (inline.throttled ?? 0)) return ''
  return `, and the quota freezes ${nearest.size > 1 ? 'them' : 'it'} ${percent(throttled)} of the time`
}

function chooseResponsive(situation: Situation, inline: Cell, budgetMs: number): Choice {
  const { task, cells, cpus } = situation
  const keeping = worked(cells).filter((cell) => delayOf(cell) <= budgetMs)
  const rivals = challengers(cells).filter((cell) => keeping.includes(cell) && !throwsMoreThan(inline, cell))
  const asked = `(p99, ${late(budgetMs)} allowed)`

  const winner = smallestWinner(situation, inline, rivals)
  if (winner) return runForSpeed(situation, inline, winner)
  if (keeping.includes(inline)) {
    const before = `the main loop runs ${late(delayOf(inline))} late ${asked}, and `
    return keepInline(situation, inline, rivals, before)
  }
  const smallest = [...rivals].sort(byCost)[0]
  if (smallest === undefined) return chooseCalmest(situation, inline, budgetMs)
  const sentence = `Run ${task} ${placeOf(smallest)} for responsiveness, not for speed: at ${cpusOf(cpus)} the main loop runs ${late(delayOf(smallest))} late ${asked}, inline ${late(delayOf(inline))}, at ${times(smallest.ratio.value)} the throughput (${range(smallest.ratio)}).`
  return { cell: smallest, verdict: smallest.verdict, isSettled: true, sentence }
}

/** Nothing keeps the budget: the smallest of those that come nearest to it. */
function chooseCalmest({ task, cells, cpus }: Situation, inline: Cell, budgetMs: number): Choice {
  const known = [inline, ...challengers(cells)].filter((cell) => !throwsMoreThan(inline, cell))
  const least = Math.min(...known.map(delayOf))
  const cell =
    known.filter((candidate) => delayOf(candidate) <= least * SIMILAR_DELAY).sort(byCost)[0] ?? inline
  const start = cell === inline ? `Keep ${task} inline` : `Run ${task} ${placeOf(cell)}`
  const sentence = `${start} at ${cpusOf(cpus)}: no executor keeps the main loop within ${late(budgetMs)}, and with ${late(delayOf(cell))} late (p99) this is the smallest of the nearest; give it more CPU, or split the task.`
  const nearest = nearestOf(challengers(cells))
  return { cell, verdict: cell === inline ? (nearest?.verdict ?? 'cannot-tell') : cell.verdict, sentence }
}

function keepOnUnusable({ task, cpus, noise }: Situation, inline: Cell | null): Choice {
  const why = noise.reasons[0] === undefined ? '' : ` (${asClause(noise.reasons[0])})`
  const sentence = `Keep ${task} inline at ${cpusOf(cpus)} for now: this machine was too busy to tell anything${why}; measure again while nothing else runs.`
  return { cell: inline, verdict: 'cannot-tell', sentence }
}

function keepUnmeasured(situation: Situation): Choice {
  const { why, remedy } =
    situation.course?.ended === 'stopped'
      ? { why: 'the run was ended', remedy: 'let it run to its end' }
      : { why: 'the time was up', remedy: longer(situation.settings) }
  const sentence = `${keeping(situation)} for now: ${why} before anything was measured; ${remedy}.`
  return { cell: null, verdict: 'cannot-tell', sentence }
}

/** Without inline there is no ratio: the smallest that is within the band of the highest throughput. */
function chooseWithoutInline({ task, cpus, cells, settings, band }: Situation): Choice {
  const { goal } = settings
  const failure = cells.find((cell) => cell.executor === 'inline')?.failed ?? 'it was not measured'
  const all = worked(cells)
  const keeping = goal.kind === 'responsive' ? all.filter((cell) => delayOf(cell) <= goal.loopDelayMs) : []
  const candidates = keeping.length > 0 ? keeping : all
  const best = maxBy(candidates, (cell) => cell.throughput.median)
  const cell = candidates
    .filter((candidate) => best && candidate.throughput.median * band.high >= best.throughput.median)
    .sort(byCost)[0]
  if (cell === undefined) {
    const sentence = `Keep ${task} inline at ${cpusOf(cpus)} for now: no executor could be measured (${quoted(failure)}).`
    return { cell: null, verdict: 'cannot-tell', sentence }
  }
  const sentence = `Run ${task} ${placeOf(cell)} at ${cpusOf(cpus)}: inline failed (${quoted(failure)}), and of what works ${nameOf(cell)} is the smallest near the highest throughput, ${perSecond(cell)}.`
  return { cell, verdict: 'cannot-tell', sentence }
}

function throwsMoreThan(inline: Cell, cell: Cell): boolean {
  return isMoreOften(errorsOf(cell), errorsOf(inline), ERROR_MARGIN)
}

function errorsOf({ errorRate, latency }: Cell): Frequency {
  return { rate: errorRate, count: latency.count }
}

/** An unknown delay keeps no budget. */
function delayOf(cell: Cell): number {
  return cell.loopDelay.p99 ?? Infinity
}

function late(milliseconds: number): string {
  return Number.isFinite(milliseconds) ? duration(milliseconds * 1000) : 'an unknown time'
}

function perSecond(cell: Cell): string {
  return `${Number(cell.throughput.median.toPrecision(3))} calls per second`
}
