// The list of rules, in the order in which a reader should hear of them.

import { atRate } from './at-rate.js'
import { cannotTell } from './cannot-tell.js'
import type { Finding, FindingContext } from './context.js'
import { copyBound } from './copy-bound.js'
import { enoughWorkers } from './enough-workers.js'
import { errors } from './errors.js'
import { failedCells } from './failed-cells.js'
import { freshInputs } from './fresh-inputs.js'
import { leak } from './leak.js'
import { loopBlocked } from './loop-blocked.js'
import { mainThreadFull } from './main-thread-full.js'
import { noDifference } from './no-difference.js'
import { noisyMachine } from './noisy-machine.js'
import { notSideBySide } from './not-side-by-side.js'
import { quotaBelowOne } from './quota-below-one.js'
import { quotaStall } from './quota-stall.js'
import { taskTooSmall } from './task-too-small.js'
import { throughQueue } from './through-queue.js'
import { uvPool } from './uv-pool.js'
import { waitBound } from './wait-bound.js'
import { unequalTwins } from './unequal-twins.js'
import type { Reason } from '../results/result.js'

/** Rules about whether the figures can be trusted, and those that need no timing: they hold on any machine. */
const trust: Finding[] = [
  noisyMachine,
  errors,
  failedCells,
  freshInputs,
  leak,
  notSideBySide,
  cannotTell,
  unequalTwins,
]

/** Rules that explain the figures: silent on an unusable machine, whose figures explain nothing. */
const explanations: Finding[] = [
  waitBound,
  uvPool,
  taskTooSmall,
  copyBound,
  throughQueue,
  quotaBelowOne,
  quotaStall,
  mainThreadFull,
  loopBlocked,
  atRate,
  noDifference,
  enoughWorkers,
]

/** Every reason whose evidence is in the context. */
export function findReasons(context: FindingContext): Reason[] {
  const rules = context.noise.verdict === 'unusable' ? trust : [...trust, ...explanations]
  return rules.flatMap((rule) => rule(context) ?? [])
}
