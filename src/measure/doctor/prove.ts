// Proves that functions give the same elsewhere: real calls of them are made again in a fresh process, which has nothing of the app but the
// module of the task. What is proved is written, for `threadwise measure` and for the app.

import { relative, resolve } from 'node:path'
import type { DoctorFunction } from '../results/doctor-result.js'
import type { AppScript } from './source/app-script.js'
import type { MoveCandidate } from './judge-functions.js'
import { withoutVerdict } from './judge-proof.js'
import type { ResolvedDoctor } from './options.js'
import type { Way } from './proof/measure-way.js'
import { openOutFolder } from './proof/write-files.js'
import { createProof, type ProvedCandidate, type Prover } from './prove-one.js'
import { proveOrder } from './conditions/prove-order.js'

const MAX_PROOFS = 12
/** The last one that is begun may take longer. */
const ALL_PROOFS_MS = 22_000
/** On a machine that is too busy for the rest: a few proofs are made all the same. */
const LEAST_PROOFS_MS = 5000
const SIDE_BY_SIDE = 2
/** For what the ways of calls take, after that. */
const ALL_WAYS_MS = 6000
export interface Proofs {
  /** Paths of what was written. */
  readonly files: string[]
  /** What the way of a call to a thread and back takes the event loop; null where it could not be measured. */
  readonly ways: ReadonlyMap<DoctorFunction, Way | null>
}

/** The verdicts and reasons of the candidates are then those of the proof. */
export async function proveCandidates(
  candidates: readonly MoveCandidate[],
  scripts: readonly AppScript[],
  options: ResolvedDoctor,
): Promise<Proofs> {
  const ways = new Map<DoctorFunction, Way | null>()
  options.onPhase('making real calls again in a fresh process')
  const folder = openOutFolder(resolve(options.out))
  try {
    const prover: Prover = createProof({ folder, scripts, options, ways })
    const proved = await proveInTurn(candidates, prover, timeUntil(options.until, ALL_PROOFS_MS))
    const files: string[] = []
    const until = timeUntil(options.until, ALL_WAYS_MS)
    for (const each of proved) files.push(...(await prover.write(each, performance.now() < until)))
    return { files: files.map((file) => relative('', file)), ways }
  } finally {
    folder.end()
  }
}

function timeUntil(all: number, ms: number): number {
  return performance.now() + Math.min(ms, Math.max(LEAST_PROOFS_MS, all - performance.now()))
}

/** Two side by side; those that only pass a call on come when it is known what of theirs can move. */
async function proveInTurn(
  candidates: readonly MoveCandidate[],
  prover: Prover,
  until: number,
): Promise<ProvedCandidate[]> {
  const { ordered, workersOf } = proveOrder(candidates)
  const left = ordered.filter(prover.hasCallersThatWait)
  const proved: ProvedCandidate[] = []
  let begun = 0
  const proveNext = async (waiting: MoveCandidate[]) => {
    for (let candidate = waiting.shift(); candidate !== undefined; candidate = waiting.shift()) {
      const { row } = candidate.each
      const worker = workersOf(candidate).find(({ each }) => each.row.verdict === 'move')
      if (worker)
        setJudged(
          row,
          withoutVerdict(
            `it was not tried: nearly all of its time is that of ${worker.each.row.name}, which can move`,
          ),
        )
      else if (begun >= MAX_PROOFS)
        setJudged(row, withoutVerdict(`only the ${MAX_PROOFS} largest are proved`))
      else if (performance.now() > until)
        setJudged(row, withoutVerdict('the larger ones took all the time that there is for proofs'))
      else {
        begun++
        proved.push(...(await prover.prove(candidate)))
      }
    }
  }
  const isWrapper = (each: MoveCandidate) => workersOf(each).length > 0
  for (const waiting of [left.filter((each) => !isWrapper(each)), left.filter(isWrapper)])
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => proveNext(waiting)))
  const placeOf = ({ candidate }: ProvedCandidate) => left.findIndex(({ each }) => each === candidate.each)
  return proved.toSorted((a, b) => placeOf(a) - placeOf(b))
}

function setJudged(
  row: DoctorFunction,
  { verdict, reasons, conditions }: ReturnType<typeof withoutVerdict>,
): void {
  Object.assign(row, { verdict, reasons, conditions })
}
