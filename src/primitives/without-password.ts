// A URL as it may be shown: who it is for, and nothing that opens it.

/** Names of parameters: `?password=`, `&sslPassword=`, and those of a text such as `host=db password=x`. */
const SECRET =
  /((?:^|[?&;\s])[^=&;\s]*(?:pass|pwd|secret|token|key|auth|cert|credential)[^=&;\s]*=)('[^']*'|[^&;\s]*)/gi

/** A password may hold a `/`, a `?` and an `@` that nobody has encoded: all up to the last `@` is left out. */
export function withoutPassword(url: string): string {
  return url.replace(/:\/\/.*@/s, '://...@').replace(SECRET, '$1...')
}
