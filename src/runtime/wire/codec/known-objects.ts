// The objects of a message that is being written, by their numbers: in the order in which they begin.

/** Objects up to which a list is searched for one that is met again; then a Map. */
const FEW = 16

export class KnownObjects {
  /** Objects that were met, and those of them that do not count any more. */
  count = 0
  /** Those that may be rolled back; undefined: none can be. */
  log: object[] | undefined
  #forgotten = 0
  readonly #few = new Array<object | undefined>(FEW)
  #many: Map<object, number> | undefined

  begin(): void {
    this.forget()
    this.count = this.#forgotten = 0
    this.log = undefined
  }

  /** From here on no object counts as met before. */
  forget(): void {
    this.#many = undefined
    for (let i = Math.min(this.count - this.#forgotten, FEW) - 1; i >= 0; i--) this.#few[i] = undefined
    this.#forgotten = this.count
  }

  /** The number of the object; -1: it is new, and has one now. */
  numberOf(value: object): number {
    const forgotten = this.#forgotten
    const count = this.count - forgotten
    if (this.#many === undefined) {
      for (let i = 0; i < count; i++) if (this.#few[i] === value) return forgotten + i
      if (count < FEW) this.#few[count] = value
      else this.#many = new Map(this.#few.map((each, i) => [each!, forgotten + i])).set(value, this.count)
    } else {
      const known = this.#many.get(value)
      if (known !== undefined) return known
      this.#many.set(value, this.count)
    }
    this.count++
    if (this.log !== undefined) this.log.push(value)
    return -1
  }

  /** Those that were met since there were so many were not: all of them are in the log. */
  rollBack(count: number): void {
    for (; this.count > count; this.count--) {
      this.#many?.delete(this.log!.pop()!)
      const place = this.count - 1 - this.#forgotten
      if (place < FEW) this.#few[place] = undefined
    }
    if (count - this.#forgotten <= FEW) this.#many = undefined
  }
}
