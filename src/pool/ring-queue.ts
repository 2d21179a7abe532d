// First in, first out, in an array that wraps around: push, shift and unshift without moving items.
//
//   items:  [ e f _ _ _ a b c d ]     size 6, head at a, the next push goes after f
//                       ^head
//
// The capacity is a power of two, so that wrapping is a mask. It doubles when full and never shrinks.

export class RingQueue<T> {
  #items: (T | undefined)[] = new Array<T | undefined>(64)
  #head = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  push(item: T): void {
    if (this.#size === this.#items.length) this.#grow()
    this.#items[(this.#head + this.#size) & (this.#items.length - 1)] = item
    this.#size++
  }

  /** Puts an item before all others. */
  unshift(item: T): void {
    if (this.#size === this.#items.length) this.#grow()
    this.#head = (this.#head - 1) & (this.#items.length - 1)
    this.#items[this.#head] = item
    this.#size++
  }

  peek(): T | undefined {
    return this.#size === 0 ? undefined : this.#items[this.#head]
  }

  shift(): T | undefined {
    if (this.#size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head] = undefined // frees what the item holds
    this.#head = (this.#head + 1) & (this.#items.length - 1)
    this.#size--
    return item
  }

  #grow(): void {
    const { length } = this.#items
    const items = new Array<T | undefined>(length * 2)
    for (let i = 0; i < length; i++) items[i] = this.#items[(this.#head + i) & (length - 1)]
    this.#items = items
    this.#head = 0
  }
}
