// The life of an executor: open --> closing --> closed, and from anywhere --> destroyed.

import { ThreadwiseError } from '../errors.js'
import { startTimer, type Timer } from './timer.js'

export type LifeState = 'open' | 'closing' | 'closed' | 'destroyed'

/** The error for a call that comes too late. */
export function lateCallError(state: LifeState, reason: unknown): ThreadwiseError {
  return state === 'destroyed'
    ? new ThreadwiseError('TW_ERR_DESTROYED', {}, reason === undefined ? undefined : { cause: reason })
    : new ThreadwiseError('TW_ERR_CLOSED')
}

/** Waits for `idle`, at most `timeout` ms. True when it came in time. */
export async function inTime(idle: Promise<void>, timeout: number): Promise<boolean> {
  let timer: Timer
  const late = new Promise<boolean>((resolve) => (timer = startTimer(timeout, () => resolve(false))))
  try {
    return await Promise.race([idle.then(() => true), late])
  } finally {
    clearTimeout(timer)
  }
}
