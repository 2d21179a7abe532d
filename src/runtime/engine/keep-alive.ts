// Keeps the process alive while there is something to wait for, and not a moment longer.
//
// Workers are never referenced: a pool that nobody uses must not keep a program from ending. One timer per pool is, while
// tasks are open. Referencing a timer is a counter in JavaScript; referencing a worker is a call into the runtime.

import { LONGEST_TIMER_MS, repeat, stopRepeating } from '../../primitives/timers.js'

export interface KeepAlive {
  set(needed: boolean): void
  end(): void
}

export function createKeepAlive(): KeepAlive {
  let timer: ReturnType<typeof repeat> | undefined
  let isReferenced = false
  return {
    set(needed) {
      if (needed === isReferenced) return
      isReferenced = needed
      timer ??= repeat(() => {}, LONGEST_TIMER_MS)
      if (needed) timer.ref()
      else timer.unref()
    },
    end() {
      stopRepeating(timer)
    },
  }
}
