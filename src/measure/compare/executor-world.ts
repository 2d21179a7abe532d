// The world of a duel on an executor, or under a CPU limit: that of `measure`, where every process has an executor and a limit of its own.
//
//   look at each version -> what a call allocates, in processes that call the function itself -> executors side by side, windows in turn
//
// Bytes are counted by direct calls: no executor changes what the code of a version allocates, and the heaps of workers cannot be read
// exactly. Nothing is pinned: workers need several CPUs, so more pairs of windows are needed than in one thread.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import { ThreadwiseError } from '../../errors/errors.js'
import type { Contender, Failure } from '../decision/world.js'
import { availableMemory } from '../machine/process-resources.js'
import { planFamilies } from '../plan-cells.js'
import type { Scout } from '../results/result.js'
import { isFailed, type CellPlan } from '../trial/trial.js'
import { createTaskWorld, type TaskWorld } from '../world/task-world.js'
import type { TaskCandidate } from '../world/task-world-options.js'
import type { ExecutorPlace } from './options.js'
import {
  createVersionWorld,
  type VersionCandidate,
  type VersionWorld,
  type VersionWorldOptions,
} from './version-world.js'

const SCOUT = { ms: 300, patienceMs: 30_000 }

/** Before bytes are counted, of each process: what is compiled must not be counted. */
const COUNTING_WARM_UP_MS = 400

/** @throws TW_ERR_WORKLOAD_INVALID, TW_ERR_LIMIT_UNAVAILABLE */
export async function createExecutorWorld(
  candidates: readonly VersionCandidate[],
  place: ExecutorPlace,
  options: VersionWorldOptions,
): Promise<VersionWorld> {
  const scouts: Scout[] = []
  for (const candidate of candidates) scouts.push(await scoutOf(candidate, options))
  const cells = cellsOf(candidates, place, scouts)
  const indexOf = (cell: CellPlan) => cells.findIndex((other) => other.cell === cell)
  const { onLook, onPhase } = options
  const counting = createVersionWorld({
    ...options,
    pinner: null,
    warmUpMs: COUNTING_WARM_UP_MS,
    onPhase() {},
  })
  const timing = createTaskWorld({
    ...options,
    availableMemory,
    areTogether: false,
    rate: null,
    isWithinQuota: cpuBudget({ env: {} }).quota !== null,
    scoutOf: (cell) => scouts[indexOf(cell)]!,
    runtimeOf: (cell) => candidates[indexOf(cell)]!.version.runtime,
    onLook: (_live, best) => onLook(best && best.ratio),
  })
  const cellOf = ({ name }: VersionCandidate) => cells.find((cell) => cell.name === name)!
  return {
    ...timing,
    records: counting.records,
    failure: () => failureOf(cells, timing),
    async open(members) {
      onPhase('starting')
      if (counting.records.size === 0) await count(counting, members)
      return withoutFailing(await timing.open(members.map(cellOf)), members.map(cellOf), timing)
    },
  }
}

async function scoutOf(
  { version, source, variant }: VersionCandidate,
  { startTrial, cpus, signal }: VersionWorldOptions,
): Promise<Scout> {
  const trial = await startTrial({ cpus, uv: null, signal, runtime: version.runtime })
  const asked = { source, variant, measureMs: SCOUT.ms }
  const answer = await trial.ask('scout', asked, SCOUT.patienceMs).finally(() => trial.kill())
  signal?.throwIfAborted()
  if (!isFailed(answer)) return answer
  throw new ThreadwiseError('TW_ERR_WORKLOAD_INVALID', {
    file: `${variant} of ${version.name}`,
    reason: answer.failed,
  })
}

/** As many calls are open in each version as the old one needs. */
function cellsOf(
  candidates: readonly VersionCandidate[],
  { executor, size, cpus }: ExecutorPlace,
  scouts: readonly Scout[],
): TaskCandidate[] {
  const [old] = scouts
  return candidates.map(({ name, role, source, variant }, i): TaskCandidate => {
    const request = {
      source,
      executors: [executor],
      sizes: [size],
      concurrency: [size],
      cpus: [cpus],
      uv: [],
      quick: false,
    }
    const { changesInput: fresh, isLazy: stream } = scouts[i]!
    const { cell } = planFamilies({ ...request, scout: { [variant]: old! } })[0]!.entries.at(-1)!
    return { name, role, cell: { ...cell, fresh, stream } }
  })
}

async function count(counting: VersionWorld, members: readonly VersionCandidate[]): Promise<void> {
  const opened = await counting.open(members)
  await Promise.all(opened.map(async (one) => (isFailed(one) ? undefined : one.close())))
}

/** A version whose calls fail on its executor is not measured: how fast it fails is no figure. */
async function withoutFailing(
  opened: readonly (Contender | Failure)[],
  cells: readonly TaskCandidate[],
  timing: TaskWorld,
): Promise<(Contender | Failure)[]> {
  return Promise.all(
    opened.map(async (one, i) => {
      const failed = isFailed(one) ? null : failedCallOf(cells[i]!, timing)
      if (isFailed(one) || failed === null) return one
      await one.close()
      return { failed }
    }),
  )
}

function failureOf(cells: readonly TaskCandidate[], timing: TaskWorld): string | null {
  const reasons = cells.flatMap((cell) => {
    const failed = failedCallOf(cell, timing)
    return failed === null ? [] : [`${cell.name}: ${failed}`]
  })
  return reasons[0] ?? null
}

function failedCallOf({ cell }: TaskCandidate, { records }: TaskWorld): string | null {
  const failing = records.get(cell)?.usages.find(({ failed }) => failed > 0)
  return failing ? `a call failed: ${failing.firstError}` : null
}
