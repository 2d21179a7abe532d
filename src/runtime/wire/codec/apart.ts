// A list whose items have nothing in common for their reader: an object that stands in two of them arrives as two.
//
// The inputs of many calls that travel as one, and their results: each belongs to a caller of its own.

export class Apart {
  readonly #items: readonly unknown[]

  constructor(items: readonly unknown[]) {
    this.#items = items
  }

  /** Undefined: it is another value. */
  static itemsOf(value: object): readonly unknown[] | undefined {
    return #items in value ? value.#items : undefined
  }
}

/** The reader finds a plain list. */
export function apart(items: readonly unknown[]): readonly unknown[] {
  return new Apart(items) as unknown as readonly unknown[]
}
