// Timers of the package that a test holds. To be imported before it: it takes Node's timers when it is loaded.
const timers = process.getBuiltinModule('node:timers')
const { setTimeout: start } = timers
const holds = new Map()

timers.setTimeout = (callback, ms, ...args) => {
  if (!holds.has(ms)) return start(callback, ms, ...args)
  holds.get(ms).push(callback)
  return { unref() {} }
}

/** Timers of `ms` do not run by themselves. Gives their callbacks. */
export function holdTimers(t, ms) {
  const held = []
  holds.set(ms, held)
  t.after(() => holds.delete(ms))
  return held
}
