// Changes of a service: one after the other, and what one throws does not stop the next.

export class Changes {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(change)
    this.#last = turn.catch(() => {})
    return turn
  }
}
