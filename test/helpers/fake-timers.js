// The timers of our own modules, made fake: a program that replaces its own does not reach them.
import { timers } from '../../build/primitives/timers.js'

/** Until the test ends, or `mock.timers.reset()`. Time passes by `mock.timers.tick(ms)`. */
export function fakeTimers({ mock }) {
  mock.timers.enable({ apis: ['setTimeout'] })
  for (const name of Object.keys(timers)) mock.method(timers, name, (...args) => globalThis[name](...args))
}

/** What our modules call instead of setTimeout, until the test ends. Gives its record. */
export function replaceTimer({ mock }, start = timers.setTimeout) {
  return mock.method(timers, 'setTimeout', start).mock
}
