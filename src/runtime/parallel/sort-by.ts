// sort by a comparator of the task module, which only workers can call.
//
//   runs    [ sorted by worker 1 | sorted by worker 2 ]        the answers are places: no item travels back
//   cut     where both workers have equally much to merge      a binary search, of which each step is a call
//   merge   [ first half: worker 1 | second half: worker 2 ]
//
// With more workers neighbouring runs are merged in rounds, each round by all workers.

import type { OrderedPair } from '../task/order-kernels.js'

type List = readonly unknown[]

export interface SortBy {
  readonly workers: number
  /** Calls a kernel, with the comparator, for each of the inputs. */
  readonly callAll: (kernel: 'order' | 'merge' | 'first', inputs: List) => Promise<unknown[]>
}

/** Items below which a further worker is not worth its call. */
const MIN_ITEMS = 500

/** The same items, in order. */
export async function sortedBy(items: List, { workers, callAll }: SortBy): Promise<List> {
  const count = Math.max(1, Math.min(workers, Math.floor(items.length / MIN_ITEMS)))
  const parts = cutAt(items, evenly(items.length, count))
  const orders = (await callAll('order', parts)) as Uint32Array[]
  let runs: List[] = parts.map((part, i) => arrange(part, orders[i]!))
  while (runs.length > 1) runs = await mergeNeighbours(runs, { workers: count, callAll })
  return runs[0]!
}

async function mergeNeighbours(runs: readonly List[], { workers, callAll }: SortBy): Promise<List[]> {
  const pairs: OrderedPair[] = []
  for (let i = 0; i + 1 < runs.length; i += 2) pairs.push({ first: runs[i]!, second: runs[i + 1]! })
  const pieces = await cutPairs(pairs, { workers: Math.ceil(workers / pairs.length), callAll })
  const orders = (await callAll('merge', pieces.flat())) as Uint32Array[]
  let at = 0
  const merged = pieces.map((ofPair) => ofPair.flatMap((piece) => arrange(itemsOf(piece), orders[at++]!)))
  return runs.length % 2 === 0 ? merged : [...merged, runs.at(-1)!]
}

interface Cut {
  readonly pair: OrderedPair
  /** Items before the cut. */
  readonly count: number
  /** Of these, how many come from the first list: at least, and at most. */
  low: number
  high: number
}

/** Each pair as so many pieces. All cuts of all pairs are searched for together. */
async function cutPairs(
  pairs: readonly OrderedPair[],
  { workers, callAll }: SortBy,
): Promise<OrderedPair[][]> {
  const cuts = pairs.map((pair) =>
    evenly(pair.first.length + pair.second.length, workers).map((count): Cut => {
      const low = Math.max(0, count - pair.second.length)
      return { pair, count, low, high: Math.min(count, pair.first.length) }
    }),
  )
  const openCuts = () => cuts.flat().filter(({ low, high }) => low < high)
  for (let asked = openCuts(); asked.length > 0; asked = openCuts()) {
    const first = asked.map(({ pair, low, high }) => pair.first[(low + high) >> 1])
    const second = asked.map(({ pair, count, low, high }) => pair.second[count - ((low + high) >> 1) - 1])
    const [answers] = (await callAll('first', [{ first, second }])) as [boolean[]]
    asked.forEach((cut, i) => {
      const half = (cut.low + cut.high) >> 1
      if (answers[i]) cut.low = half + 1
      else cut.high = half
    })
  }
  return cuts.map((ofPair, i) => piecesOf(pairs[i]!, ofPair))
}

function piecesOf({ first, second }: OrderedPair, cuts: readonly Cut[]): OrderedPair[] {
  const lows = lowsOf(cuts)
  const firsts = cutAt(first as List, lows)
  const seconds = cutAt(
    second as List,
    cuts.map(({ count }, i) => count - lows[i]!),
  )
  return firsts.map((part, i) => ({ first: part, second: seconds[i]! }))
}

/** By a comparator that contradicts itself cuts may cross: none goes back behind the one before, in either list, or items would be lost. */
function lowsOf(cuts: readonly Cut[]): number[] {
  let before = { count: 0, low: 0 }
  return cuts.map(({ count, low }) => {
    const most = before.low + count - before.count
    before = { count, low: Math.min(Math.max(low, before.low), most) }
    return before.low
  })
}

/** Where a list of this length is cut into so many parts. */
function evenly(length: number, parts: number): number[] {
  return Array.from({ length: parts - 1 }, (_, i) => Math.floor(((i + 1) * length) / parts))
}

function cutAt(items: List, cuts: readonly number[]): List[] {
  return [0, ...cuts].map((from, i) => items.slice(from, cuts[i] ?? items.length))
}

function itemsOf({ first, second }: OrderedPair): List {
  return [...(first as List), ...(second as List)]
}

function arrange(items: List, order: Uint32Array): List {
  return Array.from(order, (place) => items[place])
}
