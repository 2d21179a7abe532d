// Ctrl-C and SIGTERM: the first ends the run and prints what is known; the second ends the program at once.

import { setTimeout } from 'node:timers/promises'
import { createAsked } from './asked-to-end.js'

interface Notes {
  note(text: string): void
  end(): void
}

export interface Interruptible<Result> {
  /** Null: it was interrupted before anything was measured. */
  readonly result: Result | null
  readonly signal: AbortSignal
}

/** A measurement that ends early, with what it has so far. */
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

export function abortOnSignals(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController()
  const asked = createAsked()
  const onSignal = () => {
    const times = asked()
    if (times === 'same') return
    if (times === 'again') process.exit(130)
    process.stderr.write('\nStopping; what is known so far follows. A second time quits at once.\n')
    controller.abort(new Error('interrupted'))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    release() {
      process.off('SIGINT', onSignal)
      process.off('SIGTERM', onSignal)
    },
  }
}

/** Waits for a time, or less, when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {})
}
