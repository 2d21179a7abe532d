// Who has asked for workers to be replaced now, and waits for the last of them to end.

interface Replacement<Worker> {
  readonly left: Set<Worker>
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

export class Replacements<Worker> {
  readonly #open = new Set<Replacement<Worker>>()

  add(workers: readonly Worker[]): Promise<void> {
    if (workers.length === 0) return Promise.resolve()
    return new Promise((resolve, reject) => this.#open.add({ left: new Set(workers), resolve, reject }))
  }

  onGone(worker: Worker): void {
    for (const replacement of this.#open) {
      replacement.left.delete(worker)
      if (replacement.left.size > 0) continue
      this.#open.delete(replacement)
      replacement.resolve()
    }
  }

  /** No worker can be started now, or the pool ends. */
  fail(reason: unknown): void {
    for (const replacement of this.#open) replacement.reject(reason)
    this.#open.clear()
  }
}
