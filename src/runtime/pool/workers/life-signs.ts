// Whether a worker still turns its event loop: it is asked by a message that a blocked loop cannot answer. A worker whose calls merely wait
// on promises answers at once.
//
// What a worker owes, by what it holds, as far as the pool knows:
//
//   computes for a caller   a call that somebody waits for has begun and has not returned, or may have    nothing: it may take as long as it likes
//   waits                   all that it holds waits on promises, and somebody waits for all of that        nothing
//   given up                a call for which nobody waits any more: after its gracePeriod, if its promise  a sign of life; if it has not even
//                           is open (retirement.ts)                                                        returned, its end
//   none of these           a call was sent and has not begun; it was told to retire; it has nothing to    a sign of life, while calls are open in
//                           do, and could take calls (watch-workers.ts)                                    the pool
//
// A silent worker is ended and replaced. One in which somebody waits for another call, whose promise is open, too, may compute for that: it is
// replaced at once, and ended when it has been silent for NEIGHBOUR_LOOKS.
//
// Looks are counted, not time: a look that comes late says that this thread, or the whole machine, stood still or is crowded. It counts as one,
// however late it is.

import { startTimer, nextTurn } from '../../../primitives/timers.js'
import { machineNow } from '../../wire/machine-clock.js'
import type { Channel } from './worker.js'

/** Milliseconds from look to look: see watch-workers.ts. */
export const LOOK_MS = 500
/** Looks without a sign of life, after which a worker is silent. */
export const SILENT_LOOKS = 4
/** The same for one that may compute for a caller: a minute. */
export const NEIGHBOUR_LOOKS = 120

export class LifeSigns {
  readonly #channel: Channel
  /** When it was asked; undefined: it has answered, or was not asked. */
  #askedAt: number | undefined
  /** Since then. */
  #looks = 0
  #onAnswer: (() => void)[] = []

  constructor(channel: Channel) {
    this.#channel = channel
  }

  /** It was asked, and has not answered. */
  get isAsked(): boolean {
    return this.#askedAt !== undefined
  }

  /** Milliseconds since it was asked; 0: it has answered, or was not asked. */
  get silentMs(): number {
    return this.#askedAt === undefined ? 0 : machineNow() - this.#askedAt
  }

  /** It is looked at once more. Looks since it was asked; 0: it was not, or has answered. */
  countLook(): number {
    return this.isAsked ? ++this.#looks : 0
  }

  get looks(): number {
    return this.#looks
  }

  /** Asks, if no question is open. `onAnswer` is called once, with the answer. */
  ask(onAnswer?: () => void): void {
    if (onAnswer) this.#onAnswer.push(onAnswer)
    if (this.#askedAt !== undefined) return
    this.#askedAt = machineNow()
    this.#channel.send({ type: 'ping' })
  }

  /** Asks, and calls one of the two: `onAnswer`, or `onSilence` after so many milliseconds. */
  askFor(ms: number, onAnswer: () => void, onSilence: () => void): void {
    let isOver = false
    const once = (callback: () => void) => () => {
      if (isOver) return
      isOver = true
      callback()
    }
    this.ask(once(onAnswer))
    // This thread may have been busy: an answer that has come by now is read first.
    startTimer(ms, () => nextTurn(once(onSilence)))?.unref()
  }

  onPong(): void {
    this.#askedAt = undefined
    this.#looks = 0
    const callbacks = this.#onAnswer
    this.#onAnswer = []
    for (const callback of callbacks) callback()
  }
}
