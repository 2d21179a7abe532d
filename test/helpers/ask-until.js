// Asking again and again, for what comes by itself and tells nobody.
import { setTimeout as delay } from 'node:timers/promises'
import { inspect } from 'node:util'

/** The first answer that is as wanted. The limit turns a bug into a failure instead of a hang. */
export async function askUntil(ask, isWanted, limitMs = 30_000) {
  const end = Date.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (Date.now() > end) throw new Error(`not within ${limitMs} ms; the last answer was ${inspect(answer)}`)
    await delay(20)
  }
}
