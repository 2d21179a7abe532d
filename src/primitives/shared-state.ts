// State that is one for all copies of the package in a thread. There are several: the builds for import and for require, a copy in a
// program's bundle, and the code of a worker beside what its tasks import.

/**
 * What the first copy that asked for it has created.
 *
 * @param form number of the form of the state. A release that changes the form takes the next number, so that copies of
 * different releases do not read each other's.
 */
export function sharedState<T extends object>(name: string, form: number, create: () => T): T {
  const holder = globalThis as unknown as Record<symbol, T | undefined>
  return (holder[Symbol.for(`threadwise.${name}/${form}`)] ??= create())
}
