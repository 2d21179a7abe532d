// What a request asks of a container, and how far it is.

/** Milliseconds. */
export interface Demand {
  /** CPU time of the main thread. */
  readonly main: number
  /** CPU time on a thread of the app's pool, and on one of libuv (files, crypto, zlib, DNS). */
  readonly pool: number
  readonly uv: number
  /** Without a CPU: for another service, for the network. */
  readonly wait: number
}

export interface Job {
  readonly steps: readonly Step[]
  readonly route: number
  readonly arrivedMs: number
  readonly instance: number
  /** The number of its step. */
  at: number
  /** CPU time that is left of its step. */
  leftMs: number
}

export type StepPlace = 'main' | 'pool' | 'uv' | 'wait'

export interface Step {
  readonly place: StepPlace
  readonly ms: number
}

/** A shorter wait is that of the network: it keeps no turn of the event loop from being one. */
const SHORT_WAIT_MS = 1

/** Where something is waited for, half of the main thread's work comes before it, and half after it: nobody can tell from outside. */
export function stepsOf({ main, pool, uv, wait }: Demand): Step[] {
  const between: Step[] = [
    { place: 'uv' as const, ms: uv },
    { place: 'pool' as const, ms: pool },
    { place: 'wait' as const, ms: wait },
  ].filter(({ ms }) => ms > 0)
  const waits = pool > 0 || uv > 0 || wait >= SHORT_WAIT_MS
  if (!waits) return [{ place: 'main', ms: main }, ...between]
  return [{ place: 'main', ms: main / 2 }, ...between, { place: 'main', ms: main / 2 }]
}
