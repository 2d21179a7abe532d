// The worker that this code runs in, by what it is. A library may give a worker a `document`, or a `window`.

export interface WorkerScope {
  postMessage(message: unknown, transfer?: readonly object[]): void
  addEventListener(type: string, listener: (event: never) => void): void
  close(): void
  /** It is in the thread of its page. */
  readonly isInline?: boolean
}

declare const self: (object & Partial<WorkerScope>) | undefined

/** Undefined in a page, on a server, and in workers that nobody can post to, as a SharedWorker. */
export function workerScope(): WorkerScope | undefined {
  if (typeof self !== 'object' || typeof self.postMessage !== 'function') return undefined
  const type = (globalThis as { DedicatedWorkerGlobalScope?: { readonly prototype: object } })
    .DedicatedWorkerGlobalScope
  // Vitest runs the code of a worker in the realm of its page, with a `self` of its own.
  const isImitated = self !== globalThis && self !== (globalThis as { window?: unknown }).window
  const isWorker = isImitated || (type && Object.prototype.isPrototypeOf.call(type.prototype, self))
  return isWorker ? (self as WorkerScope) : undefined
}
