// The measurement of the rows of a server: a first look, the comparison of each limit, verdicts.

import { measurableCpus } from '../../cpu/cpu-budget.js'
import { ThreadwiseError, isThreadwiseError } from '../../errors/errors.js'
import { machineCpu } from '../machine/machine-cpu.js'
import { startMachineCheck } from '../machine/machine-check.js'
import type { ServerResult } from '../results/server-result.js'
import { compareRows, type ComparedRows, type ServerRun } from './compare-rows.js'
import { judgeRows } from './judge-rows.js'
import type { ResolvedServerOptions } from './options.js'
import type { ServerRow } from './server-trial.js'
import type { ServerOutside } from './server-world.js'
import { startServerTrial } from './start-server-trial.js'

/** What a measurement takes from outside: the real things, or exact fakes in tests. */
export interface ServerSurroundings extends ServerOutside {
  readonly startMachineCheck: typeof startMachineCheck
  /** CPUs that the server and the load have together. */
  readonly available: () => number
}

export const realSurroundings = (): ServerSurroundings => ({
  startTrial: startServerTrial,
  now: () => performance.now(),
  machineCpu: machineCpu(),
  startMachineCheck,
  available: measurableCpus,
})

export type MeasuredRows = Pick<ServerResult, 'noise' | 'settings' | 'cells' | 'skipped' | 'complete'>

/**
 * @param rows of each limit the baseline first
 * @param isSurvey every row is of interest: none leaves since another one is better, and answers are not timed
 * @throws TW_ERR_INSTANCE_FAILED; the reason of the signal, when it is aborted before anything is compared
 */
export async function measureRows(
  rows: readonly ServerRow[],
  resolved: ResolvedServerOptions,
  surroundings: ServerSurroundings,
  isSurvey = false,
): Promise<MeasuredRows> {
  const startedMs = surroundings.now()
  const available = surroundings.available()
  const check = await surroundings.startMachineCheck(available)
  await look(rows, resolved, surroundings)
  const limits = [...new Set(rows.map(({ cpus }) => cpus))]
  const budget = resolved.settings.budgetSeconds ?? resolved.secondsForEach * limits.length
  const run = { resolved, surroundings, startedMs, budget, available, isSurvey }
  const { compared, skipped } = await compareLimits(limits, rows, run)
  const noise = check.finish(compared.map(({ disturbance }) => disturbance))
  const circumstances = { usable: noise.verdict !== 'unusable', available }
  const cells = compared.flatMap(({ seen }) => judgeRows(seen, circumstances))
  const isWhole = cells.every(({ windows, failed }) => windows > 0 || failed !== null)
  const complete = resolved.signal?.aborted !== true && isWhole
  return { noise, settings: { ...resolved.settings, budgetSeconds: budget }, cells, skipped, complete }
}

interface Compared {
  readonly compared: ComparedRows[]
  readonly skipped: ServerResult['skipped']
}

/** One after the other; what one of them leaves of its time, the next ones share. */
async function compareLimits(
  limits: readonly number[],
  rows: readonly ServerRow[],
  run: ServerRun,
): Promise<Compared> {
  const outcome: Compared = { compared: [], skipped: [] }
  for (const [index, cpus] of limits.entries()) {
    if (run.resolved.signal?.aborted) break
    const began = (run.surroundings.now() - run.startedMs) / 1000
    const until = began + Math.max(0, run.budget - began) / (limits.length - index)
    const step = { cpus, comparison: index + 1, comparisons: limits.length, budgetSeconds: run.budget }
    try {
      const family = rows.filter((row) => row.cpus === cpus)
      outcome.compared.push(await compareRows(family, { ...run, until, step }))
    } catch (error) {
      if (!isThreadwiseError(error) || error.code !== 'TW_ERR_LIMIT_UNAVAILABLE') throw error
      outcome.skipped.push({ cpus, reason: error.message })
    }
  }
  return outcome
}

/** Each path once, without a tight limit: a server that does not work would otherwise fail in every row. */
async function look(
  rows: readonly ServerRow[],
  { file, args, env, signal }: ResolvedServerOptions,
  { startTrial }: ServerSurroundings,
): Promise<void> {
  const singles = rows.filter(({ way }) => way === 'single')
  for (const path of new Set(singles.map((row) => row.path))) {
    signal?.throwIfAborted() // nothing is known yet that a result could hold
    const row = { ...singles.find((single) => single.path === path)!, cpus: measurableCpus() }
    const trial = await startTrial({ file, row, args, env: { ...env, ...row.env }, signal })
    if (!('failed' in trial)) await trial.stop()
    signal?.throwIfAborted()
    if (!('failed' in trial)) continue
    const details = { file, reason: trial.failed, rest: 'Nothing was measured.' }
    throw new ThreadwiseError('TW_ERR_INSTANCE_FAILED', details)
  }
}
