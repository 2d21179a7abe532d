// Decides a comparison: who works when, who leaves, when it is enough. The world comes from outside.
//
//   cohort 1: every candidate, the baseline twice, each a process of its own, all alive; they warm up together
//   -> windows in turn, one process at a time, a window of the baseline beside each
//   -> looks: who cannot be advised any more leaves
//   -> cohort 2: one more process of the baseline and of the two that lead; the first ones go on
//   -> until it is decided, or the time is up

import { shuffle } from '../stats/random.js'
import type { Interval } from '../results/result.js'
import { estimateDuel } from './estimate-duel.js'
import { estimate, isQuiet } from './estimate.js'
import { bestOf, look, type Decided } from './stopping-rule.js'
import {
  ALPHA,
  ENOUGH_WINDOWS,
  KEEP_BY,
  LOOKS,
  MAX_PROCESSES,
  OTHER_CPUS,
  WAITING_SHARE,
  REPLICATION,
  type Rules,
} from './rules.js'
import {
  boundsOf,
  intervalOf,
  isKnown,
  standingOf,
  standingVerdict,
  type Standing,
  type StandingVerdict,
} from './standing.js'
import type { Candidate, Contender, Window, World } from './world.js'

export interface Decision {
  /** `time`: the time was up first. `stopped`: the user wanted no more. `no-baseline`: there was nothing to compare with. */
  readonly why: Decided | 'time' | 'stopped' | 'no-baseline'
  /** Share of what could have been seen that was, when it ended: bounds of other figures of the same windows rest on it. */
  readonly information: number
  /** Of every candidate but the baseline that has enough windows. */
  readonly results: ReadonlyMap<string, Result>
  /** Why a candidate could not be measured. */
  readonly failures: ReadonlyMap<string, string>
  readonly windows: readonly Window[]
  /** The second process of the baseline against the first: it should hold 1. Null without enough windows. */
  readonly twin: Interval | null
  /** Share of the windows that others disturbed. */
  readonly disturbed: number
  /** CPUs that others used during the windows, on average; null where nobody knows. */
  readonly otherCpus: number | null
  readonly waitedSeconds: number
}

export interface Result {
  readonly ratio: Interval
  readonly verdict: StandingVerdict
  readonly pairs: number
  readonly processes: number
  readonly sd: number
}

interface Entrant<C extends Candidate> {
  readonly candidate: C
  readonly number: number
  readonly contender: Contender
}

interface Run<C extends Candidate> {
  readonly candidates: readonly C[]
  readonly rules: Rules
  readonly world: World<C>
  readonly started: number
  readonly windows: Window[]
  readonly live: Set<string>
  readonly standings: Map<string, Standing>
  readonly failures: Map<string, string>
  entrants: Entrant<C>[]
  opened: number
  openedAt: number
  cohorts: number
  turn: number
  waited: number
}

export async function decide<C extends Candidate>(
  candidates: readonly C[],
  rules: Rules,
  world: World<C>,
): Promise<Decision> {
  const run = begin(candidates, rules, world)
  const baseline = candidates.find(isBaseline)
  await openCohort(run, firstCohort(run, baseline))
  let decided: Decision['why'] | null = nothingLeft(run)
  let nextLook = world.seconds() + LOOKS.first
  for (let round = 0; decided === null && round < rules.rounds && hasTime(run); round++) {
    await (rules.duel ? measurePairs(run) : measureRound(run))
    await replaceWorn(run)
    await waitForQuiet(run)
    decided = nothingLeft(run)
    if (decided !== null || world.seconds() < nextLook) continue
    nextLook = world.seconds() + LOOKS.then
    decided = await takeLook(run)
    if (decided === null && isReplicationDue(run)) await openCohort(run, leadersOf(run))
  }
  await Promise.all(run.entrants.map(({ contender }) => contender.close()))
  return conclude(run, decided ?? (world.isStopped() ? 'stopped' : 'time'))
}

function begin<C extends Candidate>(candidates: readonly C[], rules: Rules, world: World<C>): Run<C> {
  const live = new Set(candidates.filter((each) => !isBaseline(each)).map(({ name }) => name))
  return {
    candidates,
    rules,
    world,
    started: world.seconds(),
    windows: [],
    live,
    standings: new Map<string, Standing>(),
    failures: new Map<string, string>(),
    entrants: [],
    opened: 0,
    openedAt: 0,
    cohorts: 0,
    turn: 0,
    waited: 0,
  }
}

/** The baseline twice; versions several times, in any order: what starts first must not always be the old one. */
function firstCohort<C extends Candidate>({ candidates, rules, world }: Run<C>, baseline?: C): readonly C[] {
  const { duel } = rules
  if (!duel) return baseline ? [...candidates, baseline] : candidates
  return shuffle(
    candidates.flatMap((candidate) => Array.from({ length: duel.processes }, () => candidate)),
    world.random,
  )
}

function isBaseline({ role }: Candidate): boolean {
  return role === 'baseline'
}

function hasTime({ rules, world }: Run<Candidate>): boolean {
  return !world.isStopped() && world.seconds() < rules.until
}

/** Why there is nothing to measure; null while there is. */
function nothingLeft({ entrants }: Run<Candidate>): 'no-baseline' | null {
  return entrants.length === 0 ? 'no-baseline' : null
}

async function openCohort<C extends Candidate>(run: Run<C>, members: readonly C[]): Promise<void> {
  run.cohorts++
  const opened = await run.world.open(members)
  run.openedAt = run.world.seconds()
  for (const [index, contender] of opened.entries()) {
    const candidate = members[index]!
    if ('failed' in contender) fail(run, candidate, contender.failed)
    else run.entrants.push({ candidate, number: run.opened++, contender })
  }
}

/** A candidate that has been measured by another of its processes stays in what is known. */
function fail<C extends Candidate>(run: Run<C>, candidate: C, reason: string): void {
  if (run.entrants.some((other) => other.candidate === candidate)) return
  run.failures.set(candidate.name, reason)
  run.live.delete(candidate.name)
}

/** The live ones in random order, a window of the baseline beside each; where there are many, beside every second one. */
async function measureRound<C extends Candidate>(run: Run<C>): Promise<void> {
  const rivals = run.entrants.filter(({ candidate }) => run.live.has(candidate.name))
  if (run.world.areTogether) {
    await Promise.all(run.entrants.map((entrant) => measureOne(run, entrant)))
    return
  }
  const isCrowded = rivals.length >= 4
  for (const [index, entrant] of shuffle(rivals, run.world.random).entries()) {
    if (!hasTime(run)) return
    if (!isCrowded || index % 2 === 0) await measureBaseline(run)
    await measureOne(run, entrant)
  }
  if (hasTime(run)) await measureBaseline(run)
}

/** Each process of a version beside one of the baseline, who with whom and who first at random: no window is in two pairs. */
async function measurePairs<C extends Candidate>(run: Run<C>): Promise<void> {
  const { random } = run.world
  const baselines = run.entrants.filter(({ candidate }) => isBaseline(candidate))
  const rivals = run.entrants.filter(({ candidate }) => run.live.has(candidate.name))
  const others = shuffle(baselines, random)
  for (const [index, rival] of shuffle(rivals, random).entries()) {
    const other = others[index % others.length]
    if (other === undefined || !hasTime(run)) return
    const pair = run.turn++
    for (const entrant of shuffle([rival, other], random)) await measureOne(run, entrant, pair)
  }
}

async function measureBaseline<C extends Candidate>(run: Run<C>): Promise<void> {
  const baselines = run.entrants.filter(({ candidate }) => isBaseline(candidate))
  if (baselines.length > 0) await measureOne(run, baselines[run.turn++ % baselines.length]!)
}

async function measureOne<C extends Candidate>(
  run: Run<C>,
  entrant: Entrant<C>,
  pair?: number,
): Promise<void> {
  const { candidate, number, contender } = entrant
  const reading = await contender.measure()
  if (!('failed' in reading)) {
    run.windows.push({
      ...reading,
      candidate: candidate.name,
      process: number,
      ...(pair !== undefined && { pair }),
    })
    return
  }
  if (run.world.isStopped()) return // what was interrupted says nothing about the candidate
  run.entrants = run.entrants.filter((other) => other !== entrant)
  await contender.close()
  fail(run, candidate, reading.failed)
}

async function replaceWorn<C extends Candidate>(run: Run<C>): Promise<void> {
  const worn = run.entrants.filter(
    ({ number }) => run.windows.findLast(({ process }) => process === number)?.isWorn,
  )
  if (worn.length === 0 || !hasTime(run)) return
  run.entrants = run.entrants.filter((entrant) => !worn.includes(entrant))
  await Promise.all(worn.map(({ contender }) => contender.close()))
  const renewable = worn.filter(({ candidate }) => processesOf(run, candidate.name) < MAX_PROCESSES)
  if (renewable.length === 0) return
  run.cohorts-- // the same cohort, as far as the plan goes
  await openCohort(
    run,
    renewable.map(({ candidate }) => candidate),
  )
}

function processesOf({ windows }: Run<Candidate>, name: string): number {
  return new Set(windows.filter(({ candidate }) => candidate === name).map(({ process }) => process)).size
}

async function waitForQuiet(run: Run<Candidate>): Promise<void> {
  const { windows, world, rules, started } = run
  const recent = windows.slice(-8)
  const isLoud = recent.filter((window) => !isQuiet(window)).length > recent.length / 2
  if (isLoud && run.waited < WAITING_SHARE * (rules.until - started))
    run.waited += await world.waitForQuiet(1)
}

async function takeLook<C extends Candidate>(run: Run<C>): Promise<Decision['why'] | null> {
  const { rules, live } = run
  if (!run.entrants.some(({ candidate }) => isBaseline(candidate))) return enoughWithoutBaseline(run)
  updateStandings(run)
  const rivals = rivalsOf(run).filter((name) => live.has(name))
  tellLook(run, rivals)
  const { leaving, decided } = look({
    live: rivals,
    standings: run.standings,
    rules,
    elapsed: elapsedOf(run),
  })
  const controls = [...live].filter((name) => !rivals.includes(name))
  const over = controls.filter((name) => isOver(run, name))
  await dismiss(run, [...leaving, ...over])
  const isEarly = over.length < controls.length && elapsedOf(run) < KEEP_BY
  return decided === 'keep' && isEarly ? null : decided
}

function tellLook({ world, live, standings }: Run<Candidate>, rivals: readonly string[]): void {
  const known = rivals.filter((name) => standings.has(name))
  const best = known.length === 0 ? null : bestOf(known, standings)
  world.onLook?.(live.size, best === null ? null : { name: best, ratio: Math.exp(standings.get(best)!.mean) })
}

/** A control needs no decision: it leaves once something is known about it. So long "keep" waits, but not for ever. */
function isOver({ standings }: Run<Candidate>, name: string): boolean {
  const standing = standings.get(name)
  return standing !== undefined && isKnown(standing)
}

function enoughWithoutBaseline({ live, windows }: Run<Candidate>): 'no-baseline' | null {
  const counts = [...live].map((name) => windows.filter(({ candidate }) => candidate === name).length)
  return counts.every((count) => count >= ENOUGH_WINDOWS) ? 'no-baseline' : null
}

async function dismiss<C extends Candidate>(run: Run<C>, names: readonly string[]): Promise<void> {
  for (const name of names) run.live.delete(name)
  const gone = run.entrants.filter(({ candidate }) => names.includes(candidate.name))
  run.entrants = run.entrants.filter((entrant) => !gone.includes(entrant))
  await Promise.all(gone.map(({ contender }) => contender.close()))
}

function updateStandings(run: Run<Candidate>, t = informationOf(run)): void {
  const isBase = (window: Window) => isBaselineName(run, window.candidate)
  const rivals = rivalsOf(run).length
  const { duel } = run.rules
  const alphas = duel
    ? { low: duel.alpha, high: duel.alpha }
    : { low: ALPHA / Math.max(1, rivals), high: ALPHA }
  for (const { name, role } of run.candidates) {
    if (role === 'baseline' || (!run.live.has(name) && run.standings.has(name))) continue
    const known = duel ? estimateDuel(run.windows, name, isBase, duel) : estimate(run.windows, name, isBase)
    if (known !== null) run.standings.set(name, standingOf(known, alphas, t))
  }
}

function rivalsOf({ candidates, rules }: Run<Candidate>): string[] {
  return candidates
    .filter(({ name, role }) => role === 'rival' && rules.isEligible(name))
    .map(({ name }) => name)
}

function isBaselineName({ candidates }: Run<Candidate>, name: string): boolean {
  return candidates.some((candidate) => candidate.name === name && isBaseline(candidate))
}

function elapsedOf({ world, rules, started }: Run<Candidate>): number {
  return (world.seconds() - started) / (rules.until - started)
}

/** The share of what can be seen in the whole run that was seen by now: starting and warming up show nothing. */
function informationOf({ windows, world, rules }: Run<Candidate>): number {
  const seen = windows.reduce((total, { wallMs }) => total + wallMs, 0) / 1000
  const left = Math.max(0, rules.until - world.seconds())
  return seen + left === 0 ? 1 : seen / (seen + left)
}

function isReplicationDue(run: Run<Candidate>): boolean {
  const elapsed = elapsedOf(run)
  if (run.live.size === 0 || run.cohorts >= MAX_PROCESSES) return false
  if (run.cohorts > 1 || run.rules.duel !== null)
    return elapsed < REPLICATION.latest && run.world.seconds() - run.openedAt > REPLICATION.every
  const fewest = Math.min(...[...run.live].map((name) => run.standings.get(name)?.pairs ?? 0))
  const isEarly = fewest >= REPLICATION.windows && (run.live.size <= 2 || run.rules.isSurvey)
  return (isEarly || elapsed >= REPLICATION.share) && elapsed < REPLICATION.latest
}

/** The others need no second process to be told from these. */
function leadersOf<C extends Candidate>({ candidates, live, standings, rules }: Run<C>): C[] {
  if (rules.isSurvey) return candidates.filter((each) => isBaseline(each) || live.has(each.name))
  const known = [...live].filter((name) => standings.has(name))
  const first = known.length === 0 ? undefined : bestOf(known, standings)
  const rest = known.filter((name) => name !== first)
  const second = rest.length === 0 ? undefined : bestOf(rest, standings)
  return candidates.filter((each) => isBaseline(each) || each.name === first || each.name === second)
}

function conclude(run: Run<Candidate>, why: Decision['why']): Decision {
  const isDecided = why === 'run' || why === 'keep'
  const information = isDecided ? informationOf(run) : 1
  const t = information
  updateStandings(run, t)
  const results = new Map<string, Result>()
  for (const [name, standing] of run.standings) {
    const { pairs, processes, sd } = standing
    const hasLeft = !run.live.has(name)
    const verdict = standingVerdict(standing, hasLeft, run.rules.worth)
    results.set(name, { ratio: boundsOf(standing, hasLeft), verdict, pairs, processes, sd })
  }
  const known = run.windows.flatMap(({ otherCpus }) => otherCpus ?? [])
  return {
    why,
    results,
    failures: run.failures,
    windows: run.windows,
    waitedSeconds: run.waited,
    information,
    twin: run.rules.duel ? null : twinOf(run, t),
    disturbed: known.filter((cpus) => cpus >= OTHER_CPUS).length / Math.max(1, run.windows.length),
    otherCpus: known.length === 0 ? null : known.reduce((a, b) => a + b, 0) / known.length,
  }
}

function twinOf(run: Run<Candidate>, t: number): Interval | null {
  const numbers = run.windows
    .filter((window) => isBaselineName(run, window.candidate))
    .map(({ process }) => process)
  const [first, second] = [...new Set(numbers)]
  if (second === undefined) return null
  // The twin under a name of its own, so that it is compared as any candidate is.
  const renamed = run.windows.map((window) =>
    window.process === second ? { ...window, candidate: '' } : window,
  )
  const known = estimate(renamed, '', ({ process }) => process === first)
  return known && intervalOf(known, t)
}
