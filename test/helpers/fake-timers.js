// The timers of our own modules, made fake: a program that replaces its own does not reach them.
import { timers } from '../../build/primitives/timers.js'
import { nextTurn } from './waiting.js'

/** Until the test ends, or `mock.timers.reset()`. Time passes by `mock.timers.tick(ms)`. */
export function fakeTimers({ mock }) {
  mock.timers.enable({ apis: ['setTimeout'] })
  for (const name of Object.keys(timers)) mock.method(timers, name, (...args) => globalThis[name](...args))
}

/** After `fakeTimers`: time passes, and a turn, in which what has come meanwhile is read before something is judged. */
export async function pass({ mock }, ms) {
  mock.timers.tick(ms)
  await nextTurn()
}

/** Time passes in steps of a millisecond, by the returned function alone: for global timers and all clocks but that of the day. */
export function fakeClock({ mock }) {
  let now = 0
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  mock.method(performance, 'now', () => now)
  mock.method(process.hrtime, 'bigint', () => BigInt(now) * 1_000_000n)
  return (ms) => {
    for (let i = 0; i < ms; i++) {
      now++
      mock.timers.tick(1)
    }
  }
}

/** What our modules call instead of setTimeout, until the test ends. Gives its record. */
export function replaceTimer({ mock }, start = timers.setTimeout) {
  return mock.method(timers, 'setTimeout', start).mock
}
