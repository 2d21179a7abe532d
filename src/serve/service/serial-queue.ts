// Changes of a service: one after the other, and what one throws does not stop the next.

export class Changes {
  #last: Promise<unknown> = Promise.resolve()
  readonly #check: () => void

  /** `check` throws when there may be no more. */
  constructor(check: () => void) {
    this.#check = check
  }

  run<T>(change: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => {
      this.#check()
      return change()
    })
    this.#last = turn.catch(() => {})
    return turn
  }
}
