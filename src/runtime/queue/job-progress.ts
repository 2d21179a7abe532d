// The progress of one job on its way to the store: when that is slower than the task, the newest value wins. A task may tell more than anybody can
// read, and the thread that sends it also renews the locks of its jobs.

export interface JobProgress {
  /** @throws what cannot be sent */
  readonly tell: (value: unknown) => void
  /** Sends what waits: the last value is never left out. @throws what cannot be sent */
  readonly flush: () => void
}

/** Values on their way. */
const MAX_OPEN = 100

export function createJobProgress(
  write: (value: unknown) => string,
  send: (payload: string) => void | Promise<void>,
): JobProgress {
  let open = 0
  let newest: { readonly value: unknown } | undefined
  const flush = () => {
    if (!newest) return
    const { value } = newest
    newest = undefined
    go(value)
  }
  const ended = () => {
    open--
    if (open === 0 && newest) {
      try {
        flush()
      } catch {
        // The next value that is told, or the last one, says so.
      }
    }
  }
  const go = (value: unknown) => {
    const payload = write(value)
    open++
    void Promise.resolve(send(payload)).then(ended, ended)
  }
  return {
    tell(value) {
      if (open >= MAX_OPEN || newest) newest = { value }
      else go(value)
    },
    flush,
  }
}
