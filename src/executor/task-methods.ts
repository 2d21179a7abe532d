// The object behind `executor.tasks`: any property is a function that runs the task of that name.

import type { Tasks } from './executor.js'

/**
 * Names that the language itself looks up: with `then`, `await executor.tasks` would take the object for a promise and
 * hang; with `toJSON`, JSON.stringify would run a task, which run() still does. A module that exports `then` cannot even be imported.
 */
const ABSENT = new Set(['then', 'toJSON'])

/**
 * The functions are made on first use. The Proxy sits on the prototype, and its trap puts the function on the object
 * itself, so that the next call finds an ordinary property: a trap on every call would cost more than the call.
 */
export function createTaskMethods<T>(run: (name: string, args: unknown[]) => Promise<unknown>): Tasks<T> {
  const prototype = new Proxy(Object.create(null) as object, {
    get(_, name, receiver: object) {
      if (typeof name === 'symbol' || ABSENT.has(name)) return undefined
      const method = (...args: unknown[]) => run(name, args)
      Object.defineProperty(receiver, name, { value: method, enumerable: true })
      return method
    },
    set: () => false,
  })
  return Object.create(prototype) as Tasks<T>
}
