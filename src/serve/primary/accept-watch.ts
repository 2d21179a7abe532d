// How long an instance has taken no connection while it is given some. Nothing ticks while none is in flight.

export interface AcceptWatch {
  /** A connection is on its way. */
  given(): void
  /** One was taken or given up; so many are left. */
  taken(left: number): void
  /** None was taken for the whole limit. */
  readonly isOver: boolean
}

/** `onOver` is called when the limit is over, and again after each further one. */
export function createAcceptWatch(limitMs: number, onOver: () => void): AcceptWatch {
  let since: number | null = null
  let timer: NodeJS.Timeout | undefined
  const isOver = () => since !== null && performance.now() - since >= limitMs
  // One timer for many connections: it looks when it ends how long the present wait is.
  const look = () => {
    timer = undefined
    if (since === null) return
    const waitedMs = performance.now() - since
    if (waitedMs >= limitMs) onOver()
    arm(waitedMs >= limitMs ? limitMs : limitMs - waitedMs)
  }
  const arm = (delayMs: number) => {
    if (limitMs < Infinity) timer = setTimeout(look, Math.ceil(delayMs)).unref()
  }
  return {
    given() {
      since ??= performance.now()
      if (timer === undefined) arm(limitMs)
    },
    taken(left) {
      since = left > 0 ? performance.now() : null
    },
    get isOver() {
      return isOver()
    },
  }
}
