// The task modules that led to this worker. What such a module does while it loads, each of its workers does again: a pool of itself would
// start workers without end, and so would two modules that make pools of each other.

import { ThreadwiseError } from '../errors/errors.js'
import { beforeOwnProgram, preloads } from './before-own-program.js'
import { sharedState } from './shared-state.js'
import { otherRuntime } from './other-runtime.js'
import { checkStartsNode } from './single-executable.js'

interface TaskModules {
  /** URLs; that of this worker is the last. Empty in the program, and in workers that others start. */
  all: readonly string[]
  /** Its tasks have not been called yet: what was begun while the module was loaded may still go on. */
  isLoading: boolean
  /** This process was started for the file that it runs: a trial, or an instance. */
  isStarted: boolean
}

const here = sharedState<TaskModules>('task-modules', 1, () => ({
  all: [],
  isLoading: false,
  isStarted: false,
}))

/** For the workers that this one starts. */
export function taskModules(): readonly string[] {
  return here.all
}

/** In a worker, before it loads its module. */
export function enterWorker(parents: readonly string[], module: string): void {
  here.all = [...parents, module]
  here.isLoading = true
}

/** In a process that is started for a file, before it loads it. */
export function enterStarted(): void {
  here.isStarted = true
}

/** Gives `find`, and takes its first use for the first call. */
export function onFirstCall<Find extends (name: string) => unknown>(
  find: Find,
  use: (find: Find) => void,
): void {
  use(((name: string) => {
    here.isLoading = false
    use(find)
    return find(name)
  }) as Find)
}

/**
 * A pool of this module would start itself again in each of its workers. A task may make a pool of its own module, one level deep.
 */
export function startsItself(module: string): boolean {
  const others = here.all.filter((other) => bare(other) === bare(module))
  return others.length > (here.isLoading ? 0 : 1)
}

/**
 * For what starts processes of the file that calls it: each of them would do so too, without end.
 *
 * @throws TW_ERR_INVALID_CALL
 */
export function checkOwnProgram(call: string): void {
  checkStartsNode(call)
  const runtime = otherRuntime()
  if (runtime !== null)
    throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected: 'Node.js', received: runtime })
  const before = beforeOwnProgram()
  if (!here.isLoading && !here.isStarted && !before) return
  const place = here.isLoading
    ? 'a worker that loads its module'
    : 'a process that is an instance, or is measured'
  const received = before
    ? `${before === 'worker' ? 'a worker' : place} before its own code, by ${preloads()}`
    : place
  throw new ThreadwiseError('TW_ERR_INVALID_CALL', { call, expected: 'a program of its own', received })
}

/** A module may ask for itself with another query each time. */
function bare(url: string): string {
  return url.replace(/[?#].*$/, '')
}
