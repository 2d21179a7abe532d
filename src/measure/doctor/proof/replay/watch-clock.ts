// The clock of a replay: it begins each call at the time at which the app made it, and knows who asked.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import type { AskedOfSystem } from './replay-messages.js'

export interface ReplayClock {
  /** From now on it is this time, and goes on from there. Milliseconds since 1970. */
  readonly setTo: (ms: number) => void
  /** What was asked for since it was asked last. */
  readonly asked: () => AskedOfSystem[]
}

/** Random values come as ever: two calls show what depends on them. */
const CHANCE = /^(random|getRandomValues$|generateKey|generatePrime)/
const SIGNATURE = /^(sign|createSign|publicEncrypt|encapsulate)$/

export function watchClock(): ReplayClock {
  const asked = new Set<AskedOfSystem>()
  let aheadMs = 0
  const RealDate = Date
  const realNow = Date.now.bind(Date)
  const now = () => {
    asked.add('time')
    return realNow() + aheadMs
  }
  RealDate.now = now // what holds it by another name holds a function of the language, as it does in the app
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], made) =>
      Reflect.construct(
        target,
        args.length === 0 ? [now()] : args,
        made === globalThis.Date ? target : made,
      ) as object,
    apply: () => new RealDate(now()).toString(),
  })
  RealDate.prototype.constructor = globalThis.Date
  const { random } = Math
  Math.random = () => {
    asked.add('chance')
    return random()
  }
  for (const owner of [crypto, crypto.webcrypto])
    for (const name of Object.getOwnPropertyNames(owner === crypto ? crypto : Object.getPrototypeOf(owner))) {
      const what = CHANCE.test(name) ? 'chance' : SIGNATURE.test(name) ? 'signature' : null
      const real: unknown = what === null ? undefined : Reflect.get(owner, name)
      if (what === null || typeof real !== 'function') continue
      const watched = (...args: unknown[]) => (asked.add(what), Reflect.apply(real, owner, args) as unknown)
      Reflect.defineProperty(owner, name, {
        value: watched,
        configurable: true,
        writable: true,
        enumerable: true,
      })
    }
  syncBuiltinESMExports()
  return {
    setTo: (ms) => void (aheadMs = ms - realNow()),
    asked() {
      const list = [...asked]
      asked.clear()
      return list
    },
  }
}
