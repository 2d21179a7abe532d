// How callers abort: by an AbortSignal, or by an emitter of the event 'abort'.

/** What aborts a call: an AbortSignal, or an emitter of the event 'abort'. */
export type AbortSignalAny = AbortTarget | AbortEmitter

interface AbortTarget {
  addEventListener(name: 'abort', listener: () => void, options?: { once: boolean }): void
  removeEventListener(name: 'abort', listener: () => void): void
  readonly aborted?: boolean
  readonly reason?: unknown
}

interface AbortEmitter {
  off(name: 'abort', listener: () => void): unknown
  once(name: 'abort', listener: () => void): unknown
}

/** What an aborted call rejects with; `cause` is the reason. */
export class AbortError extends Error {
  constructor(reason?: unknown) {
    super('The task has been aborted', { cause: reason })
  }

  override get name(): string {
    return 'AbortError'
  }
}

/** The returned function stops listening. */
export function onAnyAbort(signal: AbortSignalAny, listener: () => void): () => void {
  if ('addEventListener' in signal) {
    signal.addEventListener('abort', listener, { once: true })
    return () => signal.removeEventListener('abort', listener)
  }
  signal.once('abort', listener)
  return () => void signal.off('abort', listener)
}

export function isAborted(signal: AbortSignalAny): boolean {
  return (signal as AbortTarget).aborted === true
}

export function reasonOf(signal: AbortSignalAny): unknown {
  return (signal as AbortTarget).reason
}
