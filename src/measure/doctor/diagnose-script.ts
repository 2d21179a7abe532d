// A program that ends by itself: its whole run is profiled.

import type { DoctorResult } from '../results/doctor-result.js'
import type { WholeRun } from './agent/messages.js'
import { describeLoop, emptyResult, problemResult, sharesOf, nextSteps } from './conclude.js'
import { findFunctions } from './find-functions.js'
import { judgeFunctions } from './judge-functions.js'
import type { ResolvedDoctor } from './options.js'

/** Of functions of the user: less says too little. */
const MIN_MS = 50

export function diagnoseScript(options: ResolvedDoctor, runs: readonly WholeRun[]): DoctorResult {
  const known = runs.map((run) => ({ run, found: findFunctions(run) }))
  // npm, a shell's wrapper and the program itself: the one that did the work.
  const [most] = known.sort((a, b) => b.found.shares.busyUs - a.found.shares.busyUs)
  if (most === undefined)
    return problemResult(options, 'exits', 'The app ended, and no Node.js process of it could be looked at.')
  const { run, found } = most
  const busy = Math.min(1, found.shares.busyUs / 1e6 / run.seconds)
  const loop = { busy, delayMs: { p50: null, p99: null } }
  if (found.shares.functions.reduce((sum, { ownUs }) => sum + ownUs, 0) < MIN_MS * 1000)
    return {
      ...problemResult(
        options,
        'exits',
        `The program started no server, and ended after ${Math.round(run.seconds * 1000)} ms, less than ${MIN_MS} ms of it in your functions: that is too short to say anything.`,
      ),
      kind: 'script',
      loop,
    }
  judgeFunctions(found.functions, found.scripts, null)
  return {
    ...emptyResult(options, 'script'),
    node: run.node,
    loop,
    shares: sharesOf(found.shares),
    packages: found.packages,
    functions: found.functions.map(({ row }) => row),
    trace: found.trace,
    steps: nextSteps({ functions: found.functions.map(({ row }) => row), shares: sharesOf(found.shares) }),
    ...describeLoop({ loop, found, origin: null, failure: null }),
  }
}
