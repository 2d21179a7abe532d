// What process.hrtime() gives at a time in milliseconds, for tests that set the clock of protocol/machine-clock.ts.
export function hrtime(ms) {
  const seconds = Math.floor(ms / 1000)
  return [seconds, Math.round((ms - 1000 * seconds) * 1e6)]
}
