// The measurement of a server from start to end: its rows, what they show, the advice.

import { checkOwnProgram } from '../../primitives/task-modules.js'
import { machineFacts } from '../machine/machine-facts.js'
import type { ServerResult } from '../results/server-result.js'
import { adviseServer } from './advise-server.js'
import { measureRows, realSurroundings, type ServerSurroundings } from './measure-rows.js'
import { resolveServerOptions, type MeasureServerOptions } from './options.js'
import { planRows } from './plan-rows.js'

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
): Promise<ServerResult> {
  return measureServerIn(realSurroundings(), file, options)
}

export async function measureServerIn(
  surroundings: ServerSurroundings,
  file: string | URL,
  options: MeasureServerOptions,
): Promise<ServerResult> {
  checkOwnProgram('measureServer()')
  const resolved = resolveServerOptions(file, options)
  const measured = await measureRows(planRows(resolved), resolved, surroundings)
  const { path, offloadPath, args } = resolved
  const { worth } = measured.settings
  return {
    version: 1,
    kind: 'server',
    date: new Date().toISOString(),
    server: { file: String(file), path, offloadPath, args: [...args] },
    machine: machineFacts(),
    ...measured,
    advice: adviseServer({ ...measured, worth }),
  }
}
