// What a task is: a plain exported function.

/** An exported function of a task module; it may be asynchronous, or a generator. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- any function of any signature is a task
export type TaskFunction = (...args: any[]) => any

/** How the names of the tasks that every worker has begin: built-in.ts. */
export const RESERVED = 'threadwise:'

/** Any thenable counts, as with `await`: promises of other libraries and realms too. */
export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  )
}

/** The name that the caller has given: of a task that every worker has, the function that it calls. */
export function shownName(name: string): string {
  return name.startsWith(RESERVED) ? name.slice(name.indexOf(':', RESERVED.length) + 1) : name
}
