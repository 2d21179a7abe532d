// The asynchronous context of a call: what each AsyncLocalStorage gives where the call is made, whoever has made that storage.
//
// Whatever runs for a call later (a task that has waited, a listener, an item of a stream) runs in an event of somebody else's. It enters
// the scope of its call. And what a task leaves behind with enterWith() ends with its scope.
//
// AsyncLocalStorage.snapshot() gives the same, and takes 20 to 500 times as long (Node 24 and 20).

import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'

/** A value that follows a call. */
export function createStorage<T>(): AsyncLocalStorage<T> {
  return new AsyncLocalStorage<T>()
}

export type Enter = <R>(callback: () => R) => R

const TYPE = 'threadwise.call'
const OPTIONS = { requireManualDestroy: true } // nobody waits for its end, so the garbage collector need not watch it

/** It waits for nothing. Jest takes each resource for an open handle (--detectOpenHandles) that does not say so. */
class CallScope extends AsyncResource {
  constructor() {
    super(TYPE, OPTIONS)
  }

  hasRef(): boolean {
    return false
  }
}

/** Enters the contexts of now, any number of times, from wherever that is. What a callback changes ends with it. */
export function enterLater(): Enter {
  const scope = new CallScope()
  return (callback) => scope.runInAsyncScope(runApart, undefined, callback) as ReturnType<typeof callback>
}

/** What is called after an `await`, in the contexts in which it was made: here they follow by themselves. */
export const acrossAwaits = <Call>(call: Call): Call => call

/** In a scope of its own: up to Node 22 enterWith() changes the scope in which it is called, for all that enter it. */
function runApart<R>(callback: () => R): R {
  return new CallScope().runInAsyncScope(callback)
}

// In a worker, where thousands of calls may run in one event, a scope for each would cost half as much as the call. It is needed only where
// a task uses enterWith(), which almost none does. So the worker, whose thread is its tasks' alone, notices the first use.

/** Of this thread, where it is watched. */
export const stores = { areWatched: false, areEntered: false }

/** To be called in a worker before its tasks are loaded. Node has no event for this. */
export function watchStores(): void {
  const { prototype } = AsyncLocalStorage
  const found = Object.getOwnPropertyDescriptor(prototype, 'enterWith')!
  const enter = found.value as (store: unknown) => void
  // eslint-disable-next-line @typescript-eslint/unbound-method -- it is the method itself that is wanted
  const value = {
    enterWith(this: AsyncLocalStorage<unknown>, store: unknown) {
      stores.areEntered = true
      return Reflect.apply(enter, this, [store])
    },
  }.enterWith
  Object.defineProperty(prototype, 'enterWith', { ...found, value })
  stores.areWatched = true
}
