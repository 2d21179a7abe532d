// Tells the store which ends their callers have seen, some at a time: they need not be kept for longer than keepResults.

import { timers } from '../../primitives/timers.js'
import type { KeptJob } from './store.js'

const MANY = 500
/** Milliseconds for which they are gathered. */
const GATHER_MS = 250

export class Releases {
  readonly #tell: (seen: readonly KeptJob[]) => Promise<void>
  #seen: KeptJob[] = []
  #timer: ReturnType<typeof timers.setTimeout> | undefined

  constructor(tell: (seen: readonly KeptJob[]) => Promise<void>) {
    this.#tell = tell
  }

  add(seen: KeptJob): void {
    this.#seen.push(seen)
    if (this.#seen.length >= MANY) return void this.flush()
    this.#timer ??= timers.setTimeout(() => void this.flush(), GATHER_MS)
    this.#timer.unref()
  }

  /** What it cannot tell is kept for longer. */
  async flush(): Promise<void> {
    timers.clearTimeout(this.#timer)
    this.#timer = undefined
    const seen = this.#seen
    this.#seen = []
    if (seen.length > 0) await this.#tell(seen).catch(() => {})
  }
}
