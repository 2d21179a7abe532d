// Why a call through a queue has failed that no task has failed.

import { describe, ThreadwiseError } from '../../errors/errors.js'
import type { ResolvedBullmqOptions } from './options.js'
import type { RemoteCall } from './remote-call.js'
import { adviceFor, HOW_TO_REACH, untrusted, withoutSecrets } from './unavailable.js'

type Settings = Pick<ResolvedBullmqOptions, 'queue' | 'storeTimeout' | 'workerTimeout'>
type Named = Pick<RemoteCall, 'task'>

export interface CallErrors {
  /** Calls that ask for too much memory of it, for instance. */
  refused(call: Named, error: unknown): ThreadwiseError
  /** `why`: what it, or the way to it, has said last. */
  withoutStore(call: Named, why: { readonly problem: string; readonly refused: unknown }): ThreadwiseError
  withoutWorker(call: Named): ThreadwiseError
  lost(call: Named): ThreadwiseError
  foreign(call: Named, what: string): ThreadwiseError
  otherOwner(call: RemoteCall, owner: string | undefined): ThreadwiseError
}

export function callErrors({ queue, storeTimeout, workerTimeout: timeout }: Settings): CallErrors {
  return {
    refused({ task }, error) {
      const details = {
        queue,
        task,
        problem: `has refused the job (${describe(error)})`,
        advice: adviceFor(error),
      }
      return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', details, { cause: withoutSecrets(error) })
    },
    withoutStore({ task }, { problem: why, refused }) {
      const isRefused = refused !== undefined
      const limit = `for ${storeTimeout} ms (storeTimeout)`
      const problem = isRefused
        ? `has refused to write ${limit}: ${describe(refused)}`
        : `has given no answer ${limit}${why && `: ${why}`}`
      const advice = isRefused ? adviceFor(refused) : HOW_TO_REACH
      return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', { queue, task, problem, advice })
    },
    withoutWorker: ({ task }) => new ThreadwiseError('TW_ERR_NO_WORKER', { queue, task, timeout }),
    lost: ({ task }) => new ThreadwiseError('TW_ERR_CALL_LOST', { queue, task }),
    foreign: ({ task }, what) => untrusted(queue, `The ${what} of task "${task}"`),
    otherOwner({ id, task }, owner) {
      const use = owner === task ? 'other arguments' : `another task (it is, for "${owner}")`
      const details = { option: 'id', expected: `one that is not in use for ${use}`, received: id }
      return new ThreadwiseError('TW_ERR_INVALID_OPTION', details)
    },
  }
}
