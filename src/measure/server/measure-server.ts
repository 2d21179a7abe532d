// The measurement of a server from start to end: a first look, the comparison of each limit, the times of answers, the advice.

import { measurableCpus } from '../../cpu/cpu-budget.js'
import { ThreadwiseError, isThreadwiseError } from '../../errors/errors.js'
import { checkOwnProgram } from '../../primitives/task-modules.js'
import { machineCpu } from '../machine/machine-cpu.js'
import { startMachineCheck } from '../machine/machine-check.js'
import { machineFacts } from '../machine/machine-facts.js'
import type { ServerResult } from '../results/server-result.js'
import { adviseServer } from './advise-server.js'
import { compareRows, type ComparedRows, type ServerRun } from './compare-rows.js'
import { judgeRows } from './judge-rows.js'
import { resolveServerOptions, type MeasureServerOptions, type ResolvedServerOptions } from './options.js'
import { planRows } from './plan-rows.js'
import type { ServerRow } from './server-trial.js'
import type { ServerOutside } from './server-world.js'
import { startServerTrial } from './start-server-trial.js'

/** What a measurement takes from outside: the real things, or exact fakes in tests. */
export interface ServerSurroundings extends ServerOutside {
  readonly startMachineCheck: typeof startMachineCheck
  /** CPUs that the server and the load have together. */
  readonly available: () => number
}

const realSurroundings = (): ServerSurroundings => ({
  startTrial: startServerTrial,
  now: () => performance.now(),
  machineCpu: machineCpu(),
  startMachineCheck,
  available: measurableCpus,
})

/**
 * Measures an HTTP server, unchanged, as one process and as clusters of several sizes, under each CPU limit, and says how many
 * instances to run there. The server and all that it starts are under the limit; the load comes from this process, outside of it.
 * All rows of a limit live side by side and are saturated in turn, in short windows; then the best get the same rates, and their
 * latency is measured. See docs/servers.md.
 *
 * @param file what starts the server; it should listen on the port in the variable PORT, which is 0: any free one
 * @throws TW_ERR_INVALID_OPTION; TW_ERR_INSTANCE_FAILED when one process does not listen, or does not answer with a status
 *   below 400; the reason of `signal` when it is aborted before anything is compared. A row that fails later is reported as failed.
 * @example
 * const { advice } = await measureServer('server.js', { cpus: [0.6, 2], quick: true })
 * console.log(advice[0].sentence)
 */
export async function measureServer(
  file: string | URL,
  options: MeasureServerOptions = {},
  surroundings: ServerSurroundings = realSurroundings(),
): Promise<ServerResult> {
  checkOwnProgram('measureServer()')
  const startedMs = surroundings.now()
  const resolved = resolveServerOptions(file, options)
  const { path, offloadPath, signal } = resolved
  const available = surroundings.available()
  const check = await surroundings.startMachineCheck(available)
  const rows = planRows(resolved)
  await look(rows, resolved, surroundings)
  const limits = [...new Set(rows.map(({ cpus }) => cpus))]
  const budget = resolved.settings.budgetSeconds ?? resolved.secondsForEach * limits.length
  const settings = { ...resolved.settings, budgetSeconds: budget }
  const run = { resolved, surroundings, startedMs, budget, available }
  const { compared, skipped } = await compareLimits(limits, rows, run)
  const noise = check.finish(compared.map(({ disturbance }) => disturbance))
  const circumstances = { usable: noise.verdict !== 'unusable', available }
  const cells = compared.flatMap(({ seen }) => judgeRows(seen, circumstances))
  return {
    ...{ version: 1, kind: 'server', date: new Date().toISOString() },
    server: { file: String(file), path, offloadPath },
    ...{ machine: machineFacts(), noise, settings, cells, skipped },
    advice: adviseServer({ cells, noise, worth: settings.worth }),
    complete:
      signal?.aborted !== true && cells.every(({ windows, failed }) => windows > 0 || failed !== null),
  }
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
  { file, env, signal }: ResolvedServerOptions,
  { startTrial }: ServerSurroundings,
): Promise<void> {
  const singles = rows.filter(({ way }) => way === 'single')
  for (const path of new Set(singles.map((row) => row.path))) {
    signal?.throwIfAborted() // nothing is known yet that a result could hold
    const row = { ...singles.find((single) => single.path === path)!, cpus: measurableCpus() }
    const trial = await startTrial({ file, row, env, signal })
    if (!('failed' in trial)) await trial.stop()
    signal?.throwIfAborted()
    if (!('failed' in trial)) continue
    const details = { file, reason: trial.failed, rest: 'Nothing was measured.' }
    throw new ThreadwiseError('TW_ERR_INSTANCE_FAILED', details)
  }
}
