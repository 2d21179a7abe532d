// Imports a task module into the caller's own thread, for as long as startTimeout and the executor's life allow.

import { checkOption } from '../../errors/check-options.js'
import { ThreadwiseError } from '../../errors/errors.js'
import { startTimer, type Timer } from '../executor/timer.js'
import type { LocalModule } from '../executor/task-module.js'
import { loadTasks, tasksOf, type FindTask } from '../task/load-task.js'
import { startFailed } from '../engine/load-error.js'

export interface LoadOptions extends LocalModule {
  readonly startTimeout: number
  /** Puts something around the functions, where nobody but their caller may notice. */
  readonly wrap?: ((find: FindTask) => FindTask) | undefined
}

export interface Loading {
  /** Rejects with TW_ERR_START_FAILED, TW_ERR_START_TIMEOUT, or the reason given to `stop`. */
  readonly loaded: Promise<FindTask>
  /** Nobody waits any more. An import cannot be ended; its result is dropped. */
  readonly stop: (reason: unknown) => void
}

export function loadInTime({ module, load, startTimeout, wrap }: LoadOptions): Loading {
  let timer: Timer
  let stop!: (reason: unknown) => void
  const loaded = new Promise<FindTask>((resolve, reject) => {
    stop = (reason) => {
      clearTimeout(timer)
      reject(reason)
    }
    const late = () => stop(new ThreadwiseError('TW_ERR_START_TIMEOUT', { module, timeout: startTimeout }))
    timer = startTimer(startTimeout, late)
    const loading = load ? loadBy(load, module) : loadTasks(module)
    loading
      .finally(() => clearTimeout(timer))
      .then(
        (find) => resolve(wrap ? wrap(find) : find),
        (cause: unknown) => reject(startFailed(module, cause)),
      )
  })
  return { loaded, stop }
}

async function loadBy(load: () => unknown, module: string): Promise<FindTask> {
  const loaded: unknown = await load()
  checkOption(
    typeof loaded === 'object' && loaded !== null,
    'module',
    'a function that gives a module',
    loaded,
  )
  return tasksOf(loaded as Record<string, unknown>, module)
}
