// Why a store could not be reached, in its own words.

/** Several addresses of one name give several errors, and no message. */
export function describeProblem(error: unknown): string {
  const { message, errors, code } = Object(error) as { message?: string; errors?: unknown[]; code?: string }
  if (message) return message
  return errors?.length ? describeProblem(errors[0]) : (code ?? String(error))
}
