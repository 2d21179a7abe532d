// Imports a task module into the caller's own thread, and sets it up, for as long as startTimeout and the executor's life allow.

import { checkOption } from '../../errors/check-options.js'
import { describe, ThreadwiseError } from '../../errors/errors.js'
import type { LocalModule } from '../executor/task-module.js'
import { loadTasks, tasksOf, type FindTask, type LoadedModule } from '../task/load-task.js'
import { registry, type WorkerPlace } from '../task/task-context.js'
import { runHook, type Hook } from '../task/worker-hooks.js'
import { inTime } from '../core/lifecycle.js'
import { startFailed } from '../core/load-error.js'
import { warnOfError } from '../core/warn-of-error.js'
import { startTimer, stopTimer, type Timer } from '../../primitives/timers.js'

export interface LocalLoad extends LocalModule {
  readonly startTimeout: number
  readonly teardownTimeout: number
  /** Puts something around the functions, where nobody but their caller may notice. */
  readonly wrap?: ((find: FindTask) => FindTask) | undefined
}

export interface Loaded {
  readonly find: FindTask
  /** Never rejects. */
  readonly tearDown: () => Promise<void>
}

export interface Loading {
  /** Rejects with TW_ERR_START_FAILED, TW_ERR_START_TIMEOUT, or the reason given to `stop`. */
  readonly loaded: Promise<Loaded>
  /** Nobody waits any more. An import cannot be ended; its result is dropped. */
  readonly stop: (reason: unknown) => void
}

export function loadInTime(options: LocalLoad, place: WorkerPlace): Loading {
  const { module, load, startTimeout, wrap } = options
  let timer: Timer
  let stop!: (reason: unknown) => void
  const loaded = new Promise<Loaded>((resolve, reject) => {
    stop = (reason) => {
      stopTimer(timer)
      reject(reason)
    }
    const late = () => stop(new ThreadwiseError('TW_ERR_START_TIMEOUT', { module, timeout: startTimeout }))
    timer = startTimer(startTimeout, late)
    const loading = load ? loadBy(load, module) : loadTasks(module)
    loading
      .then(async ({ find, hooks: { setup, teardown } }) => {
        await runHookHere(setup, place)
        const tearDown = () => tearDownInTime(teardown, place, options)
        return { find: wrap ? wrap(find) : find, tearDown }
      })
      .finally(() => stopTimer(timer))
      .then(resolve, (cause: unknown) => reject(startFailed(module, cause)))
  })
  return { loaded, stop }
}

/** What goes wrong is told as that of a worker is. */
async function tearDownInTime(
  hook: Hook | undefined,
  place: WorkerPlace,
  { teardownTimeout }: LocalLoad,
): Promise<void> {
  if (!hook) return
  const ended = runHookHere(hook, place)
  try {
    if (await inTime(ended, teardownTimeout)) return
    warnOfError(`The teardown() of ${place.info.name} did not end within ${teardownTimeout} ms`, undefined)
  } catch (error) {
    warnOfError(`The teardown() of ${place.info.name} failed (${describe(error)})`, error)
  }
}

/** Other executors of the same module are in this thread too: whose data it asks for, its context says. */
function runHookHere(hook: Hook | undefined, place: WorkerPlace): Promise<void> {
  const run = () => runHook(hook, place)
  const { storage } = registry
  return storage ? storage.run({ place, signal: new AbortController().signal }, run) : run()
}

async function loadBy(load: () => unknown, module: string): Promise<LoadedModule> {
  const loaded: unknown = await load()
  checkOption(
    typeof loaded === 'object' && loaded !== null,
    'module',
    'a function that gives a module',
    loaded,
  )
  return tasksOf(loaded as Record<string, unknown>, module)
}
