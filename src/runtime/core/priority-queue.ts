// A queue of queues, one for each priority: the highest goes first, and every eighth time one of the others.
//
//   20: [ a b ]        taken:  a b c c c c c e | c c c c c c c d | ...
//    0: [ c c c ... ]          the eighth turn goes round among the lower ones, so that nobody waits for ever
//   -5: [ d ... ]
//
// Within a priority it is first in, first out. Age is counted in turns, not in time: it needs no clock, and a pause of the
// whole program makes nobody old.

interface Level<T> {
  readonly priority: number
  readonly queue: RingQueue<T>
}

/** One turn in this many belongs to a lower priority. */
const TURNS = 8

export class PriorityQueue<T> {
  /** Highest first. That of priority 0 is always there, since most programs use no other. */
  #levels: readonly Level<T>[] = [{ priority: 0, queue: new RingQueue<T>() }]
  #turn = 1
  /** Which of the lower ones has had its turn. */
  #lower = 0
  /** Both, as they were before the last shift(). */
  #before = { turn: 1, lower: 0 }

  get isEmpty(): boolean {
    return this.#levels.length === 1 && this.#levels[0]!.queue.size === 0
  }

  push(item: T, priority: number): void {
    this.#queueOf(priority).push(item)
  }

  /** Puts an item before the others of its priority. */
  unshift(item: T, priority: number): void {
    this.#queueOf(priority).unshift(item)
  }

  /** Undoes a shift(). */
  putBack(item: T, priority: number): void {
    this.unshift(item, priority)
    this.#turn = this.#before.turn
    this.#lower = this.#before.lower
  }

  peek(): T | undefined {
    return this.#next()?.queue.peek()
  }

  shift(): T | undefined {
    const level = this.#next()
    const item = level?.queue.shift()
    if (this.#levels.length > 1) this.#endTurn(level)
    return item
  }

  /** The first item of the lowest priority for which `isMeant`; items before it are dropped. */
  findOldest(isMeant: (item: T) => boolean): T | undefined {
    for (const { queue } of [...this.#levels].reverse()) {
      for (let item = queue.peek(); item !== undefined; item = queue.peek()) {
        if (isMeant(item)) return item
        queue.shift()
      }
    }
    return undefined
  }

  #next(): Level<T> | undefined {
    const levels = this.#levels
    if (levels.length === 1) return levels[0]
    const filled = levels.filter(({ queue }) => queue.size > 0)
    if (this.#turn < TURNS || filled.length < 2) return filled[0]
    return filled[1 + (this.#lower % (filled.length - 1))]
  }

  #endTurn(level: Level<T> | undefined): void {
    this.#before = { turn: this.#turn, lower: this.#lower }
    if (this.#turn++ === TURNS) {
      this.#turn = 1
      this.#lower++
    }
    if (level && level.queue.size === 0 && level.priority !== 0)
      this.#levels = this.#levels.filter((other) => other !== level)
  }

  #queueOf(priority: number): RingQueue<T> {
    const found = this.#levels.find((level) => level.priority === priority)
    if (found) return found.queue
    const level = { priority, queue: new RingQueue<T>() }
    this.#levels = [...this.#levels, level].sort((a, b) => b.priority - a.priority)
    return level.queue
  }
}

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
