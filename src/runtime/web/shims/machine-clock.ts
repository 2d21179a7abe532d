// Shim for wire/machine-clock.ts: one clock for a page and its workers, whose performance.now() starts at another zero in each.

/** Milliseconds since 1970. */
export function machineNow(): number {
  return performance.timeOrigin + performance.now()
}
