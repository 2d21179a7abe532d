// The order of configurations, the reasons for it, and the sentence of advice.

import type { PlanConfiguration } from '../results/plan-result.js'
import type { JudgedForm } from './judge.js'

/** Costs that differ by less are equal: then the shorter p99 counts. */
const EQUAL = 0.03
/** A path that answers so many times as soon is worth a word. */
const WORTH_TELLING = 1.3

export interface Ranked {
  readonly configurations: PlanConfiguration[]
  readonly first: JudgedForm | null
  /** The next that runs today. */
  readonly rival: JudgedForm | null
  readonly sentence: string
}

/** @param p99 that is asked for */
export function rankForms(judged: readonly JudgedForm[], p99: number): Ranked {
  const kept = byCost(judged.filter(({ isKept }) => isKept))
  const today = kept.filter(({ moves }) => moves.length === 0)
  const first = today[0] ?? null
  const others = byCost(judged.filter((each) => each !== first && each.isKept))
  const fallen = byCost(judged.filter(({ isKept }) => !isKept))
  const rows = [...(first ? [first] : []), ...others, ...fallen]
  return {
    configurations: rows.map((row) => shown(row, first)),
    first,
    rival: rivalOf(first, rows),
    sentence: first ? adviceOf(first, judged) : noneHolds(judged, p99),
  }
}

/** The next that holds; where there is none, the one that fell last. */
function rivalOf(first: JudgedForm | null, rows: readonly JudgedForm[]): JudgedForm | null {
  return rows.find((row) => row !== first && row.moves.length === 0) ?? null
}

/** The price, or without prices the CPUs. */
function costOf({ price, containers, cpus }: PlanConfiguration): number {
  return price ?? containers * cpus
}

function byCost(rows: readonly JudgedForm[]): JudgedForm[] {
  const p99Of = ({ p99 }: JudgedForm) => p99?.value ?? Infinity
  const sorted = [...rows].sort((a, b) => costOf(a) - costOf(b) || p99Of(a) - p99Of(b))
  // Equal is not transitive: all are compared with the cheapest of their group.
  const groups: JudgedForm[][] = []
  for (const row of sorted) {
    const group = groups.at(-1)
    if (group !== undefined && costOf(row) <= costOf(group[0]!) * (1 + EQUAL)) group.push(row)
    else groups.push([row])
  }
  return groups.flatMap((group) => group.sort((a, b) => p99Of(a) - p99Of(b) || costOf(a) - costOf(b)))
}

function shown(judged: JudgedForm, first: JudgedForm | null): PlanConfiguration {
  const { form, isKept, ...row } = judged
  if (!isKept || first === null) return row
  if (judged === first) return { ...row, reason: 'the cheapest that holds' }
  return { ...row, reason: `${whyNotFirst(row, first)}${afterMove(form.moves)}` }
}

function whyNotFirst(row: PlanConfiguration, first: PlanConfiguration): string {
  const ratio = costOf(row) / costOf(first)
  if (ratio > 1 + EQUAL)
    return `holds, for ${ratio.toFixed(ratio < 1.1 ? 2 : 1)} times the ${row.price === null ? 'CPUs' : 'price'}`
  if (ratio < 1 - EQUAL) return `holds, for ${Math.round(100 * (1 - ratio))} % less`
  return 'holds at the same cost'
}

function afterMove(moves: readonly string[]): string {
  return moves.length === 0 ? '' : `, if the work of ${moves.join(', ')} moves to threads`
}

function adviceOf(first: JudgedForm, judged: readonly JudgedForm[]): string {
  return `${whatToScale(first, judged)} ${whatThreadsDo(first, judged)}`.trim()
}

function whatToScale(first: JudgedForm, judged: readonly JudgedForm[]): string {
  const { containers, cpus, instances } = first
  const what = `${containers} ${containers === 1 ? 'container' : 'containers'} of ${cpus} CPU`
  const each = instances > 1 ? ` with ${instances} instances each` : ''
  if (containers === 1 && instances === 1) return `One process in one container of ${cpus} CPU is enough.`
  const sizes = new Set(judged.map((row) => row.cpus))
  if (instances > 1) return `Run more instances in a container here: ${what}${each}.`
  const bigger = sizes.size > 1 && cpus > Math.min(...sizes)
  return bigger ? `Bigger containers here: ${what}.` : `Scale containers here: ${what}.`
}

/** Of work that would have to move; or of the pool that the app has. */
function whatThreadsDo(first: JudgedForm, judged: readonly JudgedForm[]): string {
  const moved = judged.filter(({ moves, isKept }) => moves.length > 0 && isKept)
  if (judged.every(({ moves }) => moves.length === 0))
    return first.threads > 0
      ? 'Its pool of threads is part of that.'
      : 'Threads have nothing to do here: no path computes for long.'
  const cheapest = byCost(moved)[0]
  if (cheapest === undefined) return 'Threads would not help: none of the configurations with them holds.'
  const names = cheapest.moves.join(' and ')
  const saved = 1 - costOf(cheapest) / costOf(first)
  if (saved > EQUAL)
    return `Threads for the work of ${names} would save ${Math.round(100 * saved)} % of ${first.price === null ? 'the CPUs' : 'the bill'}: ${cheapest.containers} x ${cheapest.cpus} CPU would hold.`
  const shorter = shorterPath(first, moved)
  if (shorter === null) return 'Threads would change little.'
  const { path, before, after } = shorter
  return `Threads would shorten ${path} (p99 ${before} to ${after} ms), not the bill.`
}

/** What becomes shorter by the most, among those that cost hardly more. */
function shorterPath(first: JudgedForm, moved: readonly JudgedForm[]) {
  const near = moved.filter((row) => costOf(row) <= costOf(first) * 1.5)
  const found = near.flatMap((row) =>
    row.paths.flatMap(({ path, p99 }, index) => {
      const before = first.paths[index]!.p99
      return before / p99 >= WORTH_TELLING
        ? [{ path, before: Math.round(before), after: Math.round(p99), gain: before / p99 }]
        : []
    }),
  )
  return found.sort((a, b) => b.gain - a.gain)[0] ?? null
}

function noneHolds(judged: readonly JudgedForm[], p99: number): string {
  const best = judged
    .filter(({ moves }) => moves.length === 0)
    .sort((a, b) => (a.p99?.value ?? Infinity) - (b.p99?.value ?? Infinity))[0]
  const nearest = best?.p99
    ? ` The nearest, ${best.containers} x ${best.cpus} CPU, has a p99 of ${Math.round(best.p99.value)} ms.`
    : ''
  const moved = byCost(judged.filter(({ isKept }) => isKept))[0]
  const threads = moved
    ? ` With the work of ${moved.moves.join(' and ')} on threads, ${moved.containers} x ${moved.cpus} CPU would hold.`
    : ''
  return `None of these keeps a p99 of ${p99} ms.${nearest}${threads}`
}
