// Shim for task/async-scope.ts in what runs in Node as in browsers: in Node it is as there.

import { enterLater as enterInPage, hooks, type Enter } from './async-scope.js'

export { acrossAwaits, createStorage, stores, type Enter, type Storage } from './async-scope.js'

/** It waits for nothing, and is no open handle for a test runner: see task/async-scope.ts. */
const CallScope =
  hooks &&
  class extends hooks.AsyncResource {
    constructor() {
      super('threadwise.call', { requireManualDestroy: true })
    }

    hasRef(): boolean {
      return false
    }
  }

/** Enters the contexts of now, any number of times. What a callback changes ends with it. */
export function enterLater(): Enter {
  if (!CallScope) return enterInPage()
  const scope = new CallScope()
  return (callback) => scope.runInAsyncScope(() => new CallScope().runInAsyncScope(callback))
}
