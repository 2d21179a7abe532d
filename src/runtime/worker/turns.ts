// One call at a time goes on, where nothing follows a call across its awaits: in a page `task` means the call that has the turn.
//
//   starts ──> HAS THE TURN ──waits for the page: the answer of host, a callback or a fork, credit of its stream──> AWAY
//                   │   ^                                                                                           │
//                   │   └──────────── the answer is here, and nobody has the turn: until then it is kept ───────────┘
//                   └── waits for something else for LATE_MS ──> LATE: what it waits for may be another call
//
// While no call has the turn the next one may start. So what lets a call go on never waits behind calls that need it: whoever waits for the
// page lets them in. Only what the task awaits counts: a call that lets go of a promise of the page goes on, and keeps its turn.

import { startTimer } from '../../primitives/timers.js'
import type { TaskContext } from '../task/task-context.js'

export interface TurnsParts {
  /** Calls the callback in the next turn of the event loop, after the microtasks. */
  defer(callback: () => void): void
  /** The call lets others in, or does so no more. */
  tell(id: number, isAway: boolean): void
  /** Nobody has the turn: further calls may start. */
  onFree(): void
}

/** Something that a call waits for. */
export interface Wait {
  readonly id: number
  isOver: boolean
}

/** Milliseconds. What takes so long may be a promise that only another call settles. */
const LATE_MS = 1000

export class Turns {
  readonly #at: TurnsParts
  /** Calls that wait on promises, and know `task`. */
  readonly #open = new Map<number, TaskContext>()
  /** Since when those that are neither away nor late have the turn, in milliseconds: one, as a rule. */
  readonly #holders = new Map<number, number>()
  /** They may go on at any time, beside others. */
  readonly #late = new Set<number>()
  /** How much of the page each waits for. */
  readonly #waits = new Map<number, number>()
  /** They need `task` after each await: others never get in. */
  readonly #needsTask = new Set<number>()
  readonly #answers: { readonly wait: Wait; readonly deliver: () => void }[] = []
  #isPlanned = false
  #isWatched = false

  constructor(parts: TurnsParts) {
    this.#at = parts
  }

  /** No further call may start. */
  get isTaken(): boolean {
    return this.#holders.size > 0
  }

  /** The call that `task` means after an await; undefined: nobody can know. */
  get current(): TaskContext | undefined {
    if (this.#open.size === 1) return this.#open.values().next().value
    if (this.#late.size > 0 || this.#holders.size !== 1) return undefined
    return this.#open.get(this.#holders.keys().next().value!)
  }

  /** A call waits on a promise. True: it lets others in. */
  begin(id: number, context: TaskContext, needsTask: boolean): boolean {
    this.#open.set(id, context)
    if (needsTask) this.#needsTask.add(id)
    if (this.#waits.has(id)) return true
    this.#hold(id)
    return false
  }

  /** Nobody waits for it any more. It may go on all the same. */
  abandon(id: number): void {
    this.#beLate(id)
    this.#goOnLater()
  }

  end(id: number): void {
    this.#open.delete(id)
    this.#waits.delete(id)
    this.#needsTask.delete(id)
    this.#late.delete(id)
    this.#holders.delete(id)
    this.#goOnLater()
  }

  /** The call waits for the page from now on. `needsTask`: it asks `task` for more, as it seems. */
  leave(id: number, needsTask: boolean): Wait {
    if (needsTask && this.#open.has(id)) this.#needsTask.add(id)
    const count = this.#waits.get(id) ?? 0
    this.#waits.set(id, count + 1)
    if (count === 0 && this.#holders.delete(id)) {
      this.#at.tell(id, true)
      this.#goOnLater()
    }
    return { id, isOver: false }
  }

  /** Calls `deliver` when it is the turn of the call that waits. */
  answer(wait: Wait, deliver: () => void): void {
    if (this.#answers.length > 0 || !this.#mayGoOn(wait)) this.#answers.push({ wait, deliver })
    else this.#deliver(wait, deliver)
  }

  /** It does not wait for that any more, and goes on at once: it was aborted. */
  drop(wait: Wait): void {
    if (wait.isOver) return
    wait.isOver = true
    const count = (this.#waits.get(wait.id) ?? 1) - 1 // its call may have ended
    if (count > 0) return void this.#waits.set(wait.id, count)
    this.#waits.delete(wait.id)
    if (!this.#open.has(wait.id) || this.#late.has(wait.id)) return
    this.#hold(wait.id)
    this.#at.tell(wait.id, false)
  }

  #mayGoOn({ id, isOver }: Wait): boolean {
    return isOver || !this.isTaken || this.#late.has(id) || !this.#open.has(id)
  }

  #deliver(wait: Wait, deliver: () => void): void {
    this.drop(wait)
    deliver()
  }

  #hold(id: number): void {
    this.#holders.set(id, performance.now())
    this.#watch()
  }

  #goOnLater(): void {
    if (this.#isPlanned) return
    this.#isPlanned = true
    this.#at.defer(() => {
      this.#isPlanned = false
      while (this.#answers.length > 0 && this.#mayGoOn(this.#answers[0]!.wait)) {
        const { wait, deliver } = this.#answers.shift()!
        this.#deliver(wait, deliver)
      }
      if (!this.isTaken) this.#at.onFree()
    })
  }

  /** One timer for all: each call of an instant would start one. */
  #watch(): void {
    if (this.#isWatched) return
    this.#isWatched = true
    startTimer(LATE_MS, () => {
      this.#isWatched = false
      const now = performance.now()
      for (const [id, since] of this.#holders) if (now - since >= LATE_MS) this.#beLate(id)
      if (this.#holders.size > 0) this.#watch()
      else this.#goOnLater()
    })?.unref()
  }

  #beLate(id: number): void {
    if (!this.#open.has(id) || this.#needsTask.has(id)) return
    this.#late.add(id)
    if (this.#holders.delete(id)) this.#at.tell(id, true)
  }
}
