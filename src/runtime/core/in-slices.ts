// Work on very many things, without holding up the event loop: some of them in each turn.

import { nextTurn } from '../../primitives/timers.js'

/** Of one turn. To reject so many calls, each with an error that shows its caller, takes some milliseconds. */
const AT_A_TIME = 200

interface Job {
  readonly items: Iterator<unknown>
  readonly work: (item: never) => void
  readonly end: () => void
}

/** Of all pools: those that end together share the turns. */
let jobs: readonly Job[] = []
let isUnderWay = false

/** Works on the items in their order: on the first ones now, on the others in the turns that follow. Resolves when all are done. */
export function inSlices<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  return new Promise((resolve) => {
    jobs = [...jobs, { items: items[Symbol.iterator](), work, end: resolve }]
    if (!isUnderWay) workOn()
  })
}

function workOn(): void {
  isUnderWay = true
  for (let left = AT_A_TIME; left > 0 && jobs.length > 0; left--) workOnNext(jobs[0]!)
  if (jobs.length > 0) nextTurn(workOn)
  else isUnderWay = false
}

function workOnNext({ items, work, end }: Job): void {
  const next = items.next()
  if (next.done !== true) return work(next.value as never)
  jobs = jobs.slice(1)
  end()
}
