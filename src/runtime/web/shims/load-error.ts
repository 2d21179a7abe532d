// Shim for core/load-error.ts: the error of a worker that could not start.

import { describe, isThreadwiseError, ThreadwiseError } from '../../../errors/errors.js'

const ADVICE =
  'Check in the network panel of the browser that its file is found, and that it calls serve() of threadwise/web/worker.'

export function startFailed(module: string, cause: unknown): ThreadwiseError {
  if (isThreadwiseError(cause) && cause.code === 'TW_ERR_START_FAILED') return cause
  return new ThreadwiseError(
    'TW_ERR_START_FAILED',
    { module, reason: describe(cause), advice: ADVICE },
    { cause },
  )
}

export function endedAtStart(
  what: { module: string; reason: string },
  exit: { cause?: unknown },
): ThreadwiseError {
  return new ThreadwiseError('TW_ERR_START_FAILED', { ...what, advice: ADVICE }, exit)
}
