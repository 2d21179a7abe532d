// Waiting for what comes by itself and tells nobody. The limits turn a bug into a failure instead of a hang.
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

const LIMIT_MS = 30_000

/** The next turn of the event loop. */
export const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** The first answer that is as wanted. */
export async function askUntil(ask, isWanted, limitMs = LIMIT_MS) {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms; the last answer was ${inspect(answer)}`)
    await delay(20)
  }
}

/** Resolves once `isTrue` says so; `what` is for the error. */
export async function waitUntil(isTrue, what = 'it is so', limitMs = LIMIT_MS) {
  const end = Date.now() + limitMs
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`waited ${limitMs} ms in vain until ${what}`)
    await delay(2)
  }
}
