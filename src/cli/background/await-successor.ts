// Waits until the process that takes the place of a service serves, or has failed to at first.

import { setTimeout as delay } from 'node:timers/promises'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import type { ServiceStatus } from '../../serve/contract/events.js'
import { askService } from '../../serve/control/control-client.js'
import { isRunning } from '../../serve/control/process-start.js'
import { knownApp } from './background-record.js'

const LOOK_MS = 50

/** @throws TW_ERR_BACKGROUND_FAILED (as a rejection) */
export async function awaitSuccessor(
  name: string,
  { pid, start }: { pid: number; start: number },
): Promise<ServiceStatus> {
  for (;;) {
    const status = await statusOf(name)
    const hasServed = status?.instances.some(({ readyAt }) => readyAt !== null) || status?.kind === 'job'
    if (status?.pid === pid && hasServed && status.state !== 'starting') return status
    if (status?.pid === pid && status.lastProblem !== null) {
      const output = `${status.lastProblem} It goes on trying: "threadwise stop ${name}" ends that.`
      throw new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', {
        name,
        output,
        how: 'not, and its instances have ended',
      })
    }
    if (!isRunning(pid, start)) {
      if (status && hasServed) return status // another command was faster
      const end = knownApp(name)?.end
      const output =
        end?.reason ??
        (end?.state === 'stopped'
          ? 'It was stopped meanwhile.'
          : `Its log says why: "threadwise logs ${name}".`)
      throw new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, output, how: 'too' })
    }
    await delay(LOOK_MS)
  }
}

/** Undefined while none answers: one has ended, and the next has no socket yet. */
async function statusOf(name: string): Promise<ServiceStatus | undefined> {
  try {
    return await askService(name, { command: 'status' })
  } catch (error) {
    const isSilent = isThreadwiseError(error) && error.code === 'TW_ERR_SERVICE_SILENT'
    if (isSilent) throw error
    return undefined
  }
}
