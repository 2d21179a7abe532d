// Asks a server as long as it is away, as clients of Redis do by themselves: who has made a call gives it up by times of its own.
//
// What broke off is asked again too. It may have been done: an add that comes again is refused when its job has gone (see connection.ts), and a job
// that was taken without an answer is found by its lock.

import { isError } from '../../../primitives/any-realm.js'
import { timers } from '../../../primitives/timers.js'
import { describeProblem } from './problem.js'

const FIRST_PAUSE_MS = 50
const MAX_PAUSE_MS = 1000
/** Starting, going down, or with too many connections; and transactions that got in each other's way. */
const TRY_AGAIN = new Set(['57P01', '57P02', '57P03', '53300', '40001', '40P01'])
/** What BullMQ takes for the end of its connection. */
export const CLOSED = 'Connection is closed.'

export interface StorePatience {
  readonly isOver: boolean
  /** How often something got no answer: it may have been done twice. */
  readonly breaks: number
  /** Rejects with what the server answers, and when it is over. */
  try<T>(action: () => Promise<T>): Promise<T>
  /** Milliseconds, more after each attempt. What waits keeps nobody from ending. */
  pause(attempt: number): Promise<void>
  /** It could not be reached. */
  tell(error: unknown): void
  /** It can be reached. */
  tellUp(): void
  end(): void
}

/** `onProblem` is told why the server cannot be asked. */
export function createPatience(onProblem: (problem: string) => void): StorePatience {
  const waiting = new Set<() => void>()
  let isOver = false
  let breaks = 0
  const tell = (error: unknown) => onProblem(describeProblem(error))
  const pause = (attempt: number) => pauseIn(waiting, attempt)
  return {
    get isOver() {
      return isOver
    },
    get breaks() {
      return breaks
    },
    async try(action) {
      for (let attempt = 0; !isOver; attempt++) {
        try {
          return await action()
        } catch (error) {
          if (isAnswer(error)) throw error
          breaks++
          tell(error)
          if (!isOver) await pause(attempt)
        }
      }
      throw new Error(CLOSED)
    },
    pause,
    tell,
    tellUp: () => onProblem(''),
    end() {
      isOver = true
      for (const wake of waiting) wake()
    },
  }
}

/** `waiting`: what ends all pauses. */
function pauseIn(waiting: Set<() => void>, attempt: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      waiting.delete(wake)
      resolve()
    }
    waiting.add(wake)
    timers.setTimeout(wake, Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt)).unref()
  })
}

/** Whether the server has said no, rather than nothing. Its codes have five signs, and errors with them a severity. */
export function isAnswer(error: unknown): boolean {
  const { code, severity } = Object(error) as { code?: unknown; severity?: unknown }
  const isByBullMq = isError(error) && /^(?:Unsupported|Schema)/.test(error.name)
  if (typeof severity !== 'string' || typeof code !== 'string') return isByBullMq
  return !TRY_AGAIN.has(code) && !code.startsWith('08')
}
