// The stack of the code that runs now, as places, whatever the app has made of stacks.

interface Stacks {
  prepareStackTrace: unknown
  stackTraceLimit: number
}

/** From the caller on. */
export function stackNow(limit: number): NodeJS.CallSite[] {
  const stacks = Error as unknown as Stacks
  const before = { prepareStackTrace: stacks.prepareStackTrace, stackTraceLimit: stacks.stackTraceLimit }
  stacks.stackTraceLimit = limit + 1
  stacks.prepareStackTrace = (_: Error, sites: NodeJS.CallSite[]) => sites
  try {
    return (new Error().stack as unknown as NodeJS.CallSite[]).slice(1)
  } finally {
    Object.assign(stacks, before)
  }
}

/** A file URL, or a path where it is CommonJS; empty: it is of the language. */
export function urlOf(site: NodeJS.CallSite): string {
  return site.getScriptNameOrSourceURL() ?? ''
}
