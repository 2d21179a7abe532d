// Whether a call is made by a function of the program that a task of the same pool waits for: the option `host`, and callbacks among arguments.
// Such a call passes all that holds calls back, as a fork does: it could otherwise wait for the place of the task that waits for it.
//
// In a page that is known until the function awaits something: browsers have no AsyncLocalStorage.

import { createStorage } from '../task/async-scope.js'
import { isPromise } from '../task/task-function.js'

interface WaitingTask {
  readonly pool: object
  /** The function has ended: what it has left running is for no task. */
  isOver: boolean
  /** The task that waits for the call in which this one runs. */
  readonly outer: WaitingTask | undefined
}

/** Made for the first function that a task calls: a program pays for it with each of its promises. */
let storage: ReturnType<typeof createStorage<WaitingTask>> | undefined

/** Runs a function for a task of this pool. */
export function runForTask(pool: object, run: () => unknown): unknown {
  storage ??= createStorage<WaitingTask>()
  const task: WaitingTask = { pool, isOver: false, outer: storage.getStore() }
  const end = () => void (task.isOver = true)
  let value: unknown
  try {
    value = storage.run(task, run)
  } catch (thrown) {
    end()
    throw thrown
  }
  if (isPromise(value)) value.then(end, end)
  else end()
  return value
}

/** A task of this pool waits for what is done here. */
export function isForTaskOf(pool: object): boolean {
  for (let task = storage?.getStore(); task; task = task.outer)
    if (task.pool === pool && !task.isOver) return true
  return false
}
