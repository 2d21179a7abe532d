// A measurement that Ctrl-C ends early, with what it has so far.

import { abortOnSignals } from './abort-on-signals.js'

interface Notes {
  note(text: string): void
  end(): void
}

export interface Interruptible<Result> {
  /** Null: it was interrupted before anything was measured. */
  readonly result: Result | null
  readonly signal: AbortSignal
}

export async function runInterruptibly<Result>(
  progress: Notes,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Interruptible<Result>> {
  const interrupted = abortOnSignals()
  const { signal } = interrupted
  try {
    return { result: await run(signal), signal }
  } catch (error) {
    if (error !== signal.reason) throw error
    progress.end()
    progress.note('Interrupted before anything was measured.')
    return { result: null, signal }
  } finally {
    progress.end()
    interrupted.release()
  }
}
