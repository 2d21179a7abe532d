// The error of a task module that cannot be loaded, with the hint that its cause deserves.

import { describe, ThreadwiseError } from '../../errors/errors.js'

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
