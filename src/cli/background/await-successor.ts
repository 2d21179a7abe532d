// Waits until the process that takes the place of a service serves, or has failed to at first.

import { setTimeout as delay } from 'node:timers/promises'
import { isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import type { ServiceStatus } from '../../serve/contract/events.js'
import { askService, nextProcess } from '../../serve/control/control-client.js'
import { isRunning, startOf } from '../../serve/control/process-start.js'
import { knownApp } from './background-record.js'

const LOOK_MS = 50

/** @throws TW_ERR_BACKGROUND_FAILED (as a rejection) */
export async function awaitSuccessor(
  name: string,
  { pid, start }: { pid: number; start: number },
): Promise<ServiceStatus> {
  let isGone = false
  for (;;) {
    const status = await statusOf(name)
    const hasServed = status?.instances.some(({ readyAt }) => readyAt !== null) || status?.kind === 'job'
    if (status?.pid === pid && hasServed && status.state !== 'starting') return status
    if (status?.pid === pid && status.lastProblem !== null) {
      const output = `${status.lastProblem} It goes on trying: "threadwise stop ${name}" ends that.`
      throw new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, output })
    }
    if (!isRunning(pid, start)) {
      // Another command was faster.
      if (status && hasServed) return status
      const next = status ? { pid: status.pid, start: startOf(status.pid) } : nextProcess(name)
      if (next && next.pid !== pid) return awaitSuccessor(name, next)
      // The one that is next may have come between the two looks.
      if (!isGone) {
        isGone = true
        continue
      }
      const end = knownApp(name)?.end
      const output =
        end?.reason ??
        (end?.state === 'stopped'
          ? 'It was stopped or killed meanwhile.'
          : `Its log says why: "threadwise logs ${name}".`)
      throw new ThreadwiseError('TW_ERR_BACKGROUND_FAILED', { name, output })
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
