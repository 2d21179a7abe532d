// Runs calls that a full pool did not take in the caller's own thread, as copies, so that the results are the same.

import { isThreadwiseError } from '../../errors/errors.js'
import type { RunOptions } from '../executor/executor.js'
import type { MovedObjects } from '../wire/codec/output.js'
import { copyValue } from '../wire/codec/packet.js'
import type { Submit } from '../executor/submit.js'
import type { CallerRuns } from '../core/bounded-pool.js'
import { LocalPool, type LocalPoolOptions } from './local-pool.js'
import { notSendable } from '../wire/not-cloneable.js'
import { checkTransfer } from '../wire/transfer-list.js'
import { contexts, contextValues, runInContexts } from '../task/define-context.js'
import { marked, movedWith } from '../task/move.js'

/** `copies`: arguments and results are copies, as for calls that a worker runs. */
export function createCallerRuns(options: Omit<LocalPoolOptions, 'limit'>, copies: boolean): CallerRuns {
  let pool: LocalPool | undefined
  const submit: Submit = (name, args, runOptions) => {
    pool ??= createPool()
    return copies ? runCopied(pool, name, args, runOptions) : pool.submit(name, args, runOptions)
  }
  const createPool = () => {
    const own = new LocalPool({ ...options, limit: Infinity, ...(copies && { copyResult }) })
    own.onRoom = () => here.onFree?.()
    return own
  }
  const here: CallerRuns = {
    submit,
    onFree: undefined,
    get isBusy() {
      return (pool?.busy ?? 0) > 0
    },
    get pool() {
      return pool
    },
  }
  return here
}

async function runCopied(
  pool: LocalPool,
  name: string,
  args: readonly unknown[],
  options: RunOptions | undefined,
): Promise<unknown> {
  const transfer = options?.transfer
  let isCopied = false
  try {
    checkTransfer(transfer)
    const own = clone(args, { what: 'An argument', root: 'args', task: name }, movedWith(transfer))
    return await inCopiedContexts(name, () => {
      isCopied = true
      return pool.submit(name, own, options)
    })
  } catch (error) {
    if (isCopied) throw error
    return pool.refuse(name, error)
  }
}

function copyResult(task: string, result: unknown): unknown {
  return clone(result, { what: 'The result', root: 'result', task }, marked())
}

/** Runs the callback with copies of what the contexts hold, as a worker would get them. Throws TW_ERR_NOT_CLONEABLE. */
export function inCopiedContexts<R>(task: string, callback: () => R): R {
  if (contexts.count === 0) return callback()
  return runInContexts(clone(contextValues() ?? [], { what: 'A context', root: 'contexts', task }), callback)
}

interface Copied {
  readonly what: string
  /** How it is called in the path to a part of it. */
  readonly root: string
  readonly task: string
}

/** A copy, as another thread would get it. `transfer`: what is moved instead. Throws TW_ERR_NOT_CLONEABLE where it would get none. */
export function clone<T>(value: T, { what, root, task }: Copied, transfer?: MovedObjects): T {
  try {
    return copyValue(value, { what, task, where: 'here' }, transfer)
  } catch (error) {
    if (isThreadwiseError(error)) throw error
    throw notSendable(what, task, { root, error })
  }
}
