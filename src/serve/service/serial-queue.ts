// Runs changes one after the other; one that fails does not stop the next.

export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()
  readonly #assertOpen: () => void

  /** `assertOpen` throws when no more changes may begin; it is called before each. */
  constructor(assertOpen: () => void) {
    this.#assertOpen = assertOpen
  }

  run<T>(change: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      this.#assertOpen()
      return change()
    })
    this.#last = result.catch(() => {})
    return result
  }
}
