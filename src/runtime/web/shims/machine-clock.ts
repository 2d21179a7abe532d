// Shim for wire/machine-clock.ts: one clock for a page and its workers, whose performance.now() starts at another zero in each.

/** Read once: WebKit makes it anew each time, and then the sum may go back by 5 ms. */
const { timeOrigin } = performance

/** Milliseconds since 1970. */
export function machineNow(): number {
  return timeOrigin + performance.now()
}
