// The error of a worker that never came up, and that of a module that cannot be loaded, with the hint that its cause deserves.

import { describe, ThreadwiseError } from '../errors.js'
import { decodeThrown, type EncodedThrown } from '../protocol/serialize-error.js'
import type { WorkerExit } from './pool-worker.js'

export interface FailedStart {
  readonly module: string
  /** Milliseconds that it was given. */
  readonly startTimeout: number
  /** What the module said, or that the time ran out; undefined: the exit tells. */
  readonly failure: EncodedThrown | 'timeout' | undefined
  /** It had come up, and died before it had answered a call. */
  readonly wasUp: boolean
}

export function startError(
  { module, startTimeout, failure, wasUp }: FailedStart,
  exit: WorkerExit,
): ThreadwiseError {
  if (failure === 'timeout')
    return new ThreadwiseError('TW_ERR_START_TIMEOUT', { module, timeout: startTimeout })
  if (failure) return startFailed(module, decodeThrown(failure))
  const reason = `it ended ${exit.how} ${wasUp ? 'before it had answered a call' : 'while loading'}`
  return new ThreadwiseError('TW_ERR_START_FAILED', { module, reason }, exit)
}

export function startFailed(module: string, cause: unknown): ThreadwiseError {
  return new ThreadwiseError(
    'TW_ERR_START_FAILED',
    { module, reason: describe(cause) + hint(module) },
    { cause },
  )
}

function hint(module: string): string {
  const runsTypeScript = Boolean((process.features as { typescript?: unknown }).typescript)
  if (!/\.[mc]?ts$/.test(module) || runsTypeScript) return ''
  return `. Node ${process.version} does not run TypeScript; use Node 22.18 or newer, or compile the file`
}
