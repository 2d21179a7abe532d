// Why a store, or a call through it, has failed that no task has failed: it cannot be reached, it refuses, it has lost a job.

import { describe, isThreadwiseError, ThreadwiseError } from '../../errors/errors.js'
import { isError } from '../../primitives/any-realm.js'
import type { QueueOptions } from './queue-options.js'
import type { StoreErrors } from './store.js'
import type { RemoteCall } from './remote-call.js'

export const HOW_TO_REACH = 'Look whether it runs, and whether the connection is right.'

/** It has answered, and said no: to a password, or a right that is missing. */
export function refusal(queue: string, error: unknown, { adviceFor }: Pick<StoreErrors, 'adviceFor'>): Error {
  if (isThreadwiseError(error)) return error
  const details = {
    queue,
    problem: `refuses (${describe(error)})`,
    advice: adviceFor(error),
  }
  return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', details, { cause: withoutSecrets(error) })
}

/** Clients put the command that was refused into their errors, with its arguments: passwords among them, and what jobs hold. */
export function withoutSecrets(error: unknown): unknown {
  if (!isError(error) || !('command' in error)) return error
  const { name, message, code, stack } = error as Error & { code?: unknown }
  const shown = Object.assign(new Error(message), code !== undefined && { code })
  Object.defineProperty(shown, 'name', { value: name, configurable: true, writable: true })
  Object.defineProperty(shown, 'stack', { value: stack, configurable: true, writable: true })
  return shown
}

/** What somebody has written to the store who has not the secret of the queue, or has written no job of ours. */
export function untrusted(queue: string, what: string): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_UNTRUSTED', { queue, what })
}

/** @param why what the connection said last; empty when it said nothing */
export function unreachable(queue: string, limitMs: number, { option = '', why = '' }): ThreadwiseError {
  const problem = `could not be reached in ${limitMs} ms${option && ` (${option})`}${why && `: ${why}`}`
  return new ThreadwiseError('TW_ERR_STORE_UNAVAILABLE', { queue, problem, advice: HOW_TO_REACH })
}

type Settings = Pick<QueueOptions, 'queue' | 'storeTimeout' | 'workerTimeout' | 'storeErrors'>
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

export function callErrors({
  queue,
  storeTimeout,
  workerTimeout: timeout,
  storeErrors,
}: Settings): CallErrors {
  const { adviceFor } = storeErrors
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
