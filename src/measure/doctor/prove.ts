// Proves that functions give the same elsewhere: real calls of them are made again in a fresh process, which has nothing of the app but the
// module of the task. What is proved is written, for `threadwise measure` and for the app.

import { relative, resolve } from 'node:path'
import type { DoctorFunction } from '../results/doctor-result.js'
import type { AppScript } from './source/app-script.js'
import type { Candidate } from './judge-functions.js'
import { cannotTell } from './judge-proof.js'
import type { ResolvedDoctor } from './options.js'
import type { Way } from './proof/measure-way.js'
import { openOutFolder } from './proof/write-files.js'
import { createProof } from './prove-one.js'

const MAX_PROOFS = 8
/** The last one that is begun may take longer. */
const ALL_PROOFS_MS = 22_000
export interface Proofs {
  /** Paths of what was written. */
  readonly files: string[]
  /** What the way of a call to a thread and back takes the event loop; null where it could not be measured. */
  readonly ways: ReadonlyMap<DoctorFunction, Way | null>
}

/**
 * The verdicts and reasons of the candidates are then those of the proof. Those that others of them call come last: where the outer one moves
 * they go with it.
 */
export async function proveCandidates(
  candidates: readonly Candidate[],
  scripts: readonly AppScript[],
  options: ResolvedDoctor,
): Promise<Proofs> {
  const names = new Set(candidates.map(({ each }) => each.row.name))
  const isInner = ({ seen, each }: Candidate) => seen.callers.length > 0 && seen.callers.every(([caller]) => caller !== undefined && caller.name !== each.row.name && names.has(caller.name)) // prettier-ignore
  const bySize = candidates.toSorted((a, b) => Number(isInner(a)) - Number(isInner(b)) || b.each.row.inclusiveShare - a.each.row.inclusiveShare) // prettier-ignore
  for (const { each } of bySize.slice(MAX_PROOFS))
    setJudged(each.row, cannotTell(`only the ${MAX_PROOFS} largest are proved`))
  const ways = new Map<DoctorFunction, Way | null>()
  options.onPhase('making real calls again in a fresh process')
  const folder = openOutFolder(resolve(options.out))
  try {
    const prove = createProof({ folder, scripts, options, ways })
    const files: string[] = []
    const until = performance.now() + ALL_PROOFS_MS
    for (const candidate of bySize.slice(0, MAX_PROOFS)) {
      if (performance.now() < until) files.push(...(await prove(candidate)))
      else setJudged(candidate.each.row, cannotTell('the larger ones took all the time that there is for proofs')) // prettier-ignore
    }
    return { files: files.map((file) => relative('', file)), ways }
  } finally {
    folder.end()
  }
}

function setJudged(
  row: DoctorFunction,
  { verdict, reasons, conditions }: ReturnType<typeof cannotTell>,
): void {
  Object.assign(row, { verdict, reasons, conditions })
}
