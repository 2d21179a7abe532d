// Into the contexts of the callers of calls that a worker has answered: what their tasks ask of the program may come after the answer, since
// replies in shared memory pass messages, or since a task does not wait for it.

import type { Enter } from '../../task/async-scope.js'
import type { Call } from '../calls/call.js'

/** As many calls are remembered; those that are not get no contexts. */
const MAX_CONTEXTS = 1024

export class AnsweredContexts {
  readonly #byId = new Map<number, Enter>()

  keep({ id, timing }: Call): void {
    if (timing?.inContexts === undefined) return
    this.#byId.delete(id)
    this.#byId.set(id, timing.inContexts)
    if (this.#byId.size > MAX_CONTEXTS) this.#byId.delete(this.#byId.keys().next().value!)
  }

  of(id: number): Enter | undefined {
    return this.#byId.get(id)
  }
}
