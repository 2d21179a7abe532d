// Changes are asked for first: who wants one gets a question and a permit for just this change. The permit is good once, and for a minute.

import { newToken } from './admission.js'
import type { Action } from './look/view.js'

const LIFE_MS = 60_000
/** The oldest goes first. */
const MOST = 64

interface Given {
  readonly action: Action
  readonly until: number
}

export class Permits {
  readonly #given = new Map<string, Given>()
  readonly #now: () => number

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  give(action: Action): string {
    const permit = newToken()
    this.#given.set(permit, { action, until: this.#now() + LIFE_MS })
    const [oldest] = this.#given.keys()
    if (oldest !== undefined && this.#given.size > MOST) this.#given.delete(oldest)
    return permit
  }

  /** Undefined for one that was never given, was used, or is too old. By a map, whose time says nothing of what is in it. */
  take(permit: string): Action | undefined {
    const given = this.#given.get(permit)
    this.#given.delete(permit)
    return given && given.until > this.#now() ? given.action : undefined
  }
}
