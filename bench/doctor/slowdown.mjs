// How much slower an app answers while doctor profiles it, than while doctor only watches its event loop.
import { setTimeout as pause } from 'node:timers/promises'
import { diagnose } from '../../build/measure/doctor/doctor.js'
import { freePort } from './run-app.mjs'

const SECONDS = 24
/** The first seconds of the profile do not count: code is optimized again there. */
const SETTLE_MS = 2500

/** Quotient of the medians of the time of a request. */
export async function slowdown(file, { rate, out }) {
  const port = await freePort()
  process.env.PORT = String(port)
  const asked = { phase: '', since: 0 }
  const times = { calm: [], profile: [] }
  const ended = new AbortController()
  const requests = sendRequests(`http://127.0.0.1:${port}/`, { rate, asked, times, signal: ended.signal })
  const onPhase = (phase) => Object.assign(asked, { phase, since: performance.now() })
  try {
    await diagnose({ words: [file], forSeconds: SECONDS, out, onPhase })
  } finally {
    ended.abort()
    delete process.env.PORT
  }
  await requests
  return median(times.profile) / median(times.calm)
}

async function sendRequests(url, { rate, asked, times, signal }) {
  while (!signal.aborted) {
    const startedAt = performance.now()
    const kind = kindOf(asked)
    try {
      await (await fetch(url)).text()
      if (kind !== null && kind === kindOf(asked)) times[kind].push(performance.now() - startedAt)
    } catch {
      // before it listens, and after it was ended
    }
    await pause(1000 / rate)
  }
}

function kindOf({ phase, since }) {
  if (phase === 'looking at the event loop') return 'calm'
  return phase === 'profiling' && performance.now() - since > SETTLE_MS ? 'profile' : null
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
