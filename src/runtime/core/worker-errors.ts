// Tells the program of a worker that has ended by itself, or has never come up: those whose calls it held are told by these.

import { ThreadwiseError } from '../../errors/errors.js'
import { warnOfError } from './warn-of-error.js'
import type { Observer } from './observer.js'
import type { WorkerIdentity } from '../executor/stats.js'

/** The worker that an error is of. */
export interface FailedWorker extends WorkerIdentity {
  /** "with exit code 3", "by SIGKILL", "because it ran out of memory". */
  readonly how: string
}

export type OnWorkerError = (error: unknown, worker: FailedWorker) => void

export interface ToldOfEnds {
  readonly observer?: Observer | undefined
  readonly onWorkerError?: OnWorkerError | undefined
}

interface ExitOfWorker {
  readonly how: string
  readonly cause?: unknown
  readonly isOutside?: boolean
  readonly isSilent?: boolean
}

export interface EndedWorker {
  readonly identity: WorkerIdentity
  /** `isOutside`: its cause was thrown outside of any task. `isSilent`: it gave no sign of life. */
  readonly exit: ExitOfWorker
  /** A call that is rejected by that tells of it. */
  readonly isToldByCall: boolean
  /** It held calls, and nobody waited for any of them. */
  readonly isGivenUp: boolean
  /** Why it has never come up; undefined: it has, or the pool wanted its end. */
  readonly startError: ThreadwiseError | undefined
  readonly wasUp: boolean
  /** It ends because the pool wants it to. */
  readonly isEndedByPool: boolean
}

export function tellOfEnd(ended: EndedWorker, { observer, onWorkerError }: ToldOfEnds): void {
  const { identity, exit, startError, wasUp, isToldByCall } = ended
  const isFault = exit.isOutside || (exit.isSilent && !ended.isGivenUp)
  const isExpected = ended.isEndedByPool && !isFault && !startError
  observer?.onExited(identity, { how: exit.how, cause: startError ?? exit.cause, isExpected })
  if (isExpected) return
  if (onWorkerError) return callHook(onWorkerError, errorOf(ended), { ...identity, how: exit.how })
  if (isFault && wasUp && !isToldByCall)
    warnOfError(
      `Worker ${identity.id} of ${observer?.executor ?? identity.name} ended ${exit.how}`,
      exit.cause,
    )
}

function errorOf({ identity, exit, startError }: EndedWorker): unknown {
  const { name: worker } = identity
  return startError ?? exit.cause ?? new ThreadwiseError('TW_ERR_WORKER_EXITED', { worker, how: exit.how })
}

/** What it throws is an error of the program, and must not stop the pool halfway. */
function callHook(hook: OnWorkerError, error: unknown, worker: FailedWorker): void {
  try {
    hook(error, worker)
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown
    })
  }
}
