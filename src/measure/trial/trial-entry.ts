// Runs inside the process of a trial: answers what it is asked, one question after the other. With open-queue.ts the only file of measure/ that
// makes executors.

import { isThreadwiseError } from '../../errors/errors.js'
import { createExecutor } from '../../runtime/create-executor.js'
import { startTrial, type LiveTrial } from './live-trial.js'
import { runBurst, runMemory } from './look-once.js'
import type { MakeExecutor } from './measured-executor.js'
import { openQueue, type QueueToOpen } from './open-queue.js'
import { runScout } from './run-scout.js'
import type {
  FromTrial,
  TrialQuestion,
  TrialAnswer,
  TrialRequest,
  UnusableWorkload,
  WorkloadNames,
} from './trial.js'
import { openVersion, type VersionTrial } from './version-trial.js'
import { loadWorkload, type WorkloadSource } from './workload.js'
import { removeModuleGlobals } from '../../primitives/eval-globals.js'
import { enterStarted } from '../../primitives/task-modules.js'

removeModuleGlobals()
enterStarted()
const makeExecutor: MakeExecutor = (cell, module) =>
  cell.executor === 'bullmq'
    ? openQueue(module, cell.options as unknown as QueueToOpen)
    : createExecutor(cell.executor, module, cell.size, cell.options)

let live: LiveTrial | undefined
let version: VersionTrial | undefined

async function answer(request: TrialRequest): Promise<TrialAnswer> {
  switch (request.kind) {
    case 'describe':
      return describe(request.source)
    case 'scout': {
      const workload = await loadWorkload(request.source)
      return runScout(
        createExecutor('inline', workload.module, 1),
        workload,
        request.variant,
        request.measureMs,
      )
    }
    case 'start':
      live = await startTrial(request, await loadWorkload(request.cell.source), makeExecutor)
      return { startMs: live.startMs }
    case 'burst':
      return runBurst(await loadWorkload(request.cell.source), request, makeExecutor)
    case 'memory':
      return runMemory(await loadWorkload(request.cell.source), request.cell, makeExecutor)
    case 'open':
      version = await openVersion(await loadWorkload(request.source), request.variant)
      return { isOpen: true }
    case 'results':
    case 'warm':
    case 'turn':
    case 'usage':
      return version![request.kind](request as never)
    default:
      return live![request.kind](request as never)
  }
}

async function describe(source: WorkloadSource): Promise<WorkloadNames | UnusableWorkload> {
  try {
    const { module, variants } = await loadWorkload(source)
    return { module, variants }
  } catch (error) {
    if (!isThreadwiseError(error)) throw error
    const { code, message } = error
    return { unusable: { code, message } }
  }
}

function tell(message: FromTrial): void {
  process.send!(message)
}

process.on('disconnect', () => process.exit(1)) // nobody waits for the answer any more
process.on('message', ({ id, request }: { id: number; request: TrialRequest & { kind: TrialQuestion } }) => {
  answer(request).then(
    (message) => tell({ id, answer: message }),
    (error: unknown) => tell({ id, answer: { failed: String(error) } }),
  )
})
tell({ isUp: true })
