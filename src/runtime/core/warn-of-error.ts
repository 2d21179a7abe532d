// An error that nobody awaits, as in a timer that a task has left: the program is told.

/**
 * A line on standard error, and an event, as of all warnings of the process.
 *
 * @param what such as: Worker 1 of threads "render" ended because of ...
 */
export function warnOfError(what: string, cause: unknown): void {
  const detail = stackOf(cause)
  process.emitWarning(`${what}.`, {
    type: 'ThreadwiseWarning',
    code: 'TW_WARN_WORKER_ERROR',
    ...(detail !== undefined && { detail }),
  })
}

/** What was thrown may be anything, and may throw when it is looked at. */
function stackOf(cause: unknown): string | undefined {
  try {
    const { stack } = Object(cause) as { stack?: unknown }
    return typeof stack === 'string' ? stack : undefined
  } catch {
    return undefined
  }
}
