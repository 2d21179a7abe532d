// The measurement of a server from start to end: a first look, the rounds, the verdicts, the advice.

import { measurableCpus } from '../../cpu/cpu-budget.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { startMachineCheck } from '../machine/machine-check.js'
import { machineFacts } from '../machine/machine-facts.js'
import { createRandom, type Random } from '../stats/random.js'
import type { NoiseFacts } from '../results/result.js'
import { adviseServer } from './advise-server.js'
import { judgeRows } from './judge-rows.js'
import { resolveServerOptions, type MeasureServerOptions, type ResolvedServerOptions } from './options.js'
import { planRows } from './plan-rows.js'
import { runServerTrial } from './run-server-trial.js'
import { createServerPace } from './server-pace.js'
import type { ServerResult } from '../results/server-result.js'
import { runServerRounds, SHARES, type RowRecord } from './server-rounds.js'
import type { RunServerTrial, ServerRow } from './server-trial.js'

/** What a measurement takes from outside: the real ones, or exact fakes in tests. */
export interface ServerSurroundings {
  readonly runTrial: RunServerTrial
  readonly startMachineCheck: typeof startMachineCheck
  /** CPUs that the server and the load have together. */
  readonly available: () => number
}

/** Of the load that shows, before the first round, that the server works. */
const LOOK_MS = 200

/**
 * Measures an HTTP server, unchanged, as one process and as clusters of several sizes, under each CPU limit, and says how many
 * instances to run there. The server and all that it starts are under the limit; the load comes from this process, outside of it.
 * First all rows are saturated, in shuffled rounds; then all get the same rates, and their latency is measured. See docs/servers.md.
 *
 * @param file what starts the server; it should listen on the port in the variable PORT, which is 0: any free one
 * @throws TW_ERR_INVALID_OPTION; TW_ERR_INSTANCE_FAILED when one process does not listen, or does not answer with a status
 *   below 400; the reason of `signal` when it is aborted before the first round. A row that fails later is reported as failed.
 * @example
 * const { advice } = await measureServer('server.js', { cpus: [0.6, 2], quick: true })
 * console.log(advice[0].sentence)
 */
export async function measureServer(
  file: string | URL,
  options: MeasureServerOptions = {},
  surroundings: ServerSurroundings = {
    runTrial: runServerTrial,
    startMachineCheck,
    available: measurableCpus,
  },
): Promise<ServerResult> {
  const resolved = resolveServerOptions(file, options)
  const { settings } = resolved
  const started = performance.now()
  const available = surroundings.available()
  const check = await surroundings.startMachineCheck(available)
  const rows = planRows(resolved)
  await look(rows, resolved, surroundings.runTrial)
  const random = createRandom(settings.seed)
  const { records, complete } = await runServerRounds({
    ...{ rows, options: resolved, runTrial: surroundings.runTrial, random, beforeRound: () => {} },
    pace: createServerPace({ settings, rows: rows.length, rates: SHARES.length, started }),
  })
  return conclude({
    file: String(file),
    resolved,
    records,
    complete,
    noise: check.finish([]),
    available,
    random,
  })
}

interface Outcome {
  readonly file: string
  readonly resolved: ResolvedServerOptions
  readonly records: RowRecord[]
  readonly complete: boolean
  readonly noise: NoiseFacts
  readonly available: number
  readonly random: Random
}

function conclude({ file, resolved, records, complete, noise, available, random }: Outcome): ServerResult {
  const { settings, path, offloadPath } = resolved
  const known = records.filter(({ unavailable }) => unavailable === undefined)
  const usable = noise.verdict !== 'unusable'
  const cells = judgeRows(known, { rounds: settings.rounds, usable, available }, random)
  const reasons = new Map(records.flatMap(({ row, unavailable }) => (unavailable === undefined ? [] : [[row.cpus, unavailable]]))) // prettier-ignore
  return {
    ...{ version: 1, kind: 'server', date: new Date().toISOString() },
    server: { file, path, offloadPath },
    ...{ machine: machineFacts(), noise, settings, cells },
    skipped: [...reasons].map(([cpus, reason]) => ({ cpus, reason })),
    advice: adviseServer({ cells, noise, worth: settings.worth }),
    complete,
  }
}

/** Each path once, without a tight limit: a server that does not work would otherwise fail in every row. */
async function look(
  rows: readonly ServerRow[],
  { file, env, settings, signal }: ResolvedServerOptions,
  runTrial: RunServerTrial,
): Promise<void> {
  const singles = rows.filter(({ way, role }) => way === 'single' && role !== 'again')
  for (const path of new Set(singles.map((row) => row.path))) {
    const row = { ...singles.find((single) => single.path === path)!, cpus: measurableCpus() }
    const { connections } = settings
    const request = { file, row, env, connections, warmUpMs: LOOK_MS, measureMs: LOOK_MS, rates: [] }
    const { answer } = await runTrial(request, signal)
    signal?.throwIfAborted() // nothing is known yet that a result could hold
    if (answer.kind !== 'failed') continue
    const details = { file, reason: answer.reason, rest: 'Nothing was measured.' }
    throw new ThreadwiseError('TW_ERR_INSTANCE_FAILED', details)
  }
}
