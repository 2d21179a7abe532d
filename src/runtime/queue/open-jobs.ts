// The calls that are not settled, by their jobs: several calls may wait for one job, whose id is the user's.

import type { RemoteCall } from './remote-call.js'

export class OpenJobs {
  readonly #calls = new Map<string, RemoteCall[]>()

  get isEmpty(): boolean {
    return this.#calls.size === 0
  }

  add(call: RemoteCall): void {
    const others = this.#calls.get(call.id)
    if (others) others.push(call)
    else this.#calls.set(call.id, [call])
  }

  remove(call: RemoteCall): void {
    const others = this.of(call.id).filter((other) => other !== call)
    if (others.length > 0) this.#calls.set(call.id, others)
    else this.#calls.delete(call.id)
  }

  of(id: string): readonly RemoteCall[] {
    return this.#calls.get(id) ?? []
  }

  get all(): RemoteCall[] {
    return [...this.#calls.values()].flat()
  }

  /** Ids of jobs that the store has: those that were not asked for the longest. */
  nextStored(most: number): string[] {
    const ids: string[] = []
    for (const [id, [first]] of this.#calls) {
      if (ids.length >= most) break
      if (first!.isStored) ids.push(id)
    }
    for (const id of ids) {
      const calls = this.#calls.get(id)!
      this.#calls.delete(id)
      this.#calls.set(id, calls)
    }
    return ids
  }
}
