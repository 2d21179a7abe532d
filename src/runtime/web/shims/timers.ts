// Shim for primitives/timers.ts. Timers of a browser are numbers, and hold nothing; where pages are rendered on a server they are Node's.

/** Milliseconds: 25 days. A longer time overflows in setTimeout, which then fires after 1 ms. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface RunningTimer {
  ref(): void
  unref(): void
}

export type Timer = RunningTimer | undefined

// Taken at the start: tests put fake ones in their place.
const {
  setTimeout: startTimeout,
  clearTimeout: endTimeout,
  setInterval: startInterval,
  clearInterval: endInterval,
} = globalThis

type Id = ReturnType<typeof setTimeout> | number
const ids = new WeakMap<RunningTimer, Id>()

/** Undefined, and the callback is never called, for times such as Infinity. */
export function startTimer(ms: number, callback: () => void): Timer {
  return ms > LONGEST_TIMER_MS ? undefined : timerOf(startTimeout(callback, ms))
}

export function stopTimer(timer: Timer): void {
  if (timer) endTimeout(ids.get(timer))
}

export function repeat(callback: () => void, ms: number): RunningTimer {
  return timerOf(startInterval(callback, ms))
}

export function stopRepeating(timer: Timer): void {
  if (timer) endInterval(ids.get(timer))
}

function timerOf(id: Id): RunningTimer {
  const own = typeof id === 'object' ? id : undefined
  const timer = { ref: () => void own?.ref(), unref: () => void own?.unref() }
  ids.set(timer, id)
  return timer
}

/** At the end of this job. */
export const soon = queueMicrotask

const turns: (() => void)[] = []
let post: (() => void) | undefined

/** In the next turn of the event loop. Not by setTimeout, which waits 4 ms when timers start each other, and a second in a hidden page. */
export function nextTurn(callback: () => void): void {
  turns.push(callback)
  post ??= createPost()
  post()
}

function createPost(): () => void {
  const run = () => turns.shift()!()
  // In Node an open channel would keep the server alive.
  if (typeof setImmediate === 'function') return () => void setImmediate(run)
  const { port1: near, port2: far } = new MessageChannel()
  ;(near as unknown as { onmessage: () => void }).onmessage = run
  return () => far.postMessage(0)
}
