// What process.hrtime.bigint() gives at a time in milliseconds, for tests that set the clock of runtime/wire/machine-clock.ts.
export function nanoseconds(ms) {
  return BigInt(Math.round(ms * 1e6))
}
