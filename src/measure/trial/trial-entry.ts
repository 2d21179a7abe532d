// Runs inside a trial process: gets one request, measures, answers, ends. The only file of measure/ that makes executors.

import { createExecutor } from '../../runtime/create-executor.js'
import { runBurst, runCell, runMemory, type MakeExecutor } from './run-trial.js'
import { runScout } from './run-scout.js'
import type { TrialAnswer, TrialRequest } from './trial.js'
import { loadWorkload } from './workload.js'
import { removeModuleGlobals } from '../../primitives/eval-globals.js'

removeModuleGlobals()
const makeExecutor: MakeExecutor = (cell, module) =>
  createExecutor(cell.executor, module, cell.size, cell.options)

async function answer(request: TrialRequest): Promise<TrialAnswer> {
  const workload = await loadWorkload(request.kind === 'scout' ? request.source : request.cell.source)
  switch (request.kind) {
    case 'cell':
      return runCell(workload, request.cell, request.timing, makeExecutor)
    case 'burst':
      return runBurst(workload, request, makeExecutor)
    case 'memory':
      return runMemory(workload, request.cell, makeExecutor)
    case 'scout': {
      const executor = createExecutor('inline', workload.module, 1)
      return { kind: 'scout', scout: await runScout(executor, workload, request.variant, request.measureMs) }
    }
  }
}

function send(message: TrialAnswer): void {
  process.send!(message, () => process.exit(0))
}

process.on('disconnect', () => process.exit(1)) // nobody waits for the answer any more
process.once('message', (request: TrialRequest) => {
  answer(request).then(send, (error: unknown) => send({ kind: 'failed', reason: String(error) }))
})
