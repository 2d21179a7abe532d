// Runs calls that a full pool did not take in the caller's own thread, as copies, so that the results are the same.

import { isThreadwiseError } from '../../errors/errors.js'
import type { RunOptions } from '../executor/executor.js'
import { copyValue } from '../wire/encode-special.js'
import type { Submit } from '../engine/admission.js'
import type { CallerRuns } from '../engine/bounded-pool.js'
import { LocalPool, type LocalPoolOptions } from './local-pool.js'
import { notCloneable } from '../wire/not-cloneable.js'
import { checkTransfer } from '../wire/message-parts.js'
import { contexts, contextValues, runInContexts } from '../task/define-context.js'

/** `copies`: arguments and results are structured clones, as for calls that a worker runs. */
export function createCallerRuns(options: Omit<LocalPoolOptions, 'limit'>, copies: boolean): CallerRuns {
  let pool: LocalPool | undefined
  const submit: Submit = (name, args, runOptions) => {
    pool ??= new LocalPool({ ...options, limit: Infinity })
    return copies ? runCopied(pool, name, args, runOptions) : pool.submit(name, args, runOptions)
  }
  return {
    submit,
    get pool() {
      return pool
    },
  }
}

export type CloneOptions = Parameters<typeof structuredClone>[1]

async function runCopied(
  pool: LocalPool,
  name: string,
  args: readonly unknown[],
  options: RunOptions | undefined,
): Promise<unknown> {
  const { transfer } = options ?? {}
  const own = clone(args, 'An argument', name, transfer && { transfer: transfer as ArrayBuffer[] })
  const result = inCopiedContexts(name, () => pool.submit(name, own, options))
  return clone(await result, 'The result', name)
}

/** Runs the callback with copies of what the contexts hold, as a worker would get them. Throws TW_ERR_NOT_CLONEABLE. */
export function inCopiedContexts<R>(task: string, callback: () => R): R {
  if (contexts.count === 0) return callback()
  return runInContexts(clone(contextValues() ?? [], 'A context', task), callback)
}

/** A copy, as another thread would get it. Throws TW_ERR_NOT_CLONEABLE where it would get none. */
export function clone<T>(value: T, what: string, task: string, options?: CloneOptions): T {
  try {
    checkTransfer(options?.transfer)
    return copyValue(value, { what, task, where: 'here' }, options)
  } catch (error) {
    if (isThreadwiseError(error)) throw error
    throw notCloneable(what, task, error)
  }
}
