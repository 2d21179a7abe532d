// A first start that is tried again until it succeeds: at boot, the database of a service may come later than the service.
//
//   attempt ──serves──> done
//      ^ └──fails──> waits 1, 2, 4 ... 15 s, or until somebody asks ──┐
//      └──────────────────────────────────────────────────────────────┘

const FIRST_DELAY_MS = 1000
const MAX_DELAY_MS = 15_000

export interface PatientStart {
  /** Resolves when an attempt succeeds; rejects when it is not to be tried again. */
  readonly done: Promise<void>
  /** Tries now, unless an attempt is under way. Settles with the next attempt that ends. */
  tryNow(): Promise<void>
}

export interface Attempts {
  readonly attempt: () => Promise<void>
  /** One has failed, and the next comes after so many milliseconds. Throws when it is not to be tried again. */
  readonly onFailure: (error: Error, delayMs: number) => void
  /** Runs the action after the delay, unless the service ends before. */
  readonly after: (delayMs: number, action: () => void) => void
}

export function startPatiently({ attempt, onFailure, after }: Attempts): PatientStart {
  let waiters: { resolve: () => void; reject: (error: Error) => void }[] = []
  let wake = () => {}
  const run = async () => {
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(MAX_DELAY_MS, delayMs * 2)) {
      try {
        await attempt()
        return waiters.forEach(({ resolve }) => resolve())
      } catch (error) {
        const told = waiters
        waiters = []
        const woken = new Promise<void>((resolve) => (wake = resolve))
        told.forEach(({ reject }) => reject(error as Error))
        onFailure(error as Error, delayMs)
        after(delayMs, () => wake())
        await woken
      }
    }
  }
  return {
    done: run(),
    tryNow: () =>
      new Promise((resolve, reject) => {
        waiters.push({ resolve, reject })
        wake()
      }),
  }
}
