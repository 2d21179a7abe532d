// What ends at a known time, the soonest first: a binary heap.

export interface WaitList<Item> {
  /** When the first one ends; Infinity where nothing waits. */
  readonly next: number
  add(at: number, item: Item): void
  /** The first one. Only where there is one. */
  take(): Item
}

export function createWaitList<Item>(): WaitList<Item> {
  const entries: Entry<Item>[] = []
  return {
    get next() {
      return entries[0]?.at ?? Infinity
    },
    add(at, item) {
      entries.push({ at, item })
      rise(entries)
    },
    take() {
      const first = entries[0]!
      const last = entries.pop()!
      if (entries.length > 0) {
        entries[0] = last
        sink(entries)
      }
      return first.item
    },
  }
}

interface Entry<Item> {
  readonly at: number
  readonly item: Item
}

/** The last one moves up to its place. */
function rise(entries: Entry<unknown>[]): void {
  for (let at = entries.length - 1; at > 0;) {
    const above = (at - 1) >> 1
    if (entries[above]!.at <= entries[at]!.at) return
    swap(entries, above, at)
    at = above
  }
}

/** The first one moves down. */
function sink(entries: Entry<unknown>[]): void {
  for (let at = 0; ;) {
    let least = at
    for (const below of [2 * at + 1, 2 * at + 2])
      if (below < entries.length && entries[below]!.at < entries[least]!.at) least = below
    if (least === at) return
    swap(entries, at, least)
    at = least
  }
}

function swap(entries: Entry<unknown>[], a: number, b: number): void {
  ;[entries[a], entries[b]] = [entries[b]!, entries[a]!]
}
