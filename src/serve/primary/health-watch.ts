// Whether an instance that serves is still healthy: it is asked for its health path again and again.

import type { InstanceChannel } from './instance-channel.js'

export interface HealthSettings {
  readonly path: string
  /** Milliseconds between two checks; also the time that an answer may take. */
  readonly intervalMs: number
  /** Failures in a row that are one too many. */
  readonly threshold: number
}

/** Resolves with what was wrong at the last check of too many failures in a row. Stays pending when the instance ends before that. */
export async function untilUnhealthy(channel: InstanceChannel, settings: HealthSettings): Promise<string> {
  const { path, intervalMs, threshold } = settings
  for (let failures = 0; ;) {
    await new Promise((resolve) => setTimeout(resolve, intervalMs).unref())
    const askedAt = performance.now()
    const checked = await channel.request({ threadwise: 'check', path }, 'checked', intervalMs)
    if (channel.isClosed) return new Promise(() => {})
    // A limit that ends much later than due says that this process was held up, and perhaps the instance with it.
    const wasHeldUp = !checked && performance.now() - askedAt >= intervalMs * 1.25
    if (checked?.isHealthy) failures = 0
    else if (!wasHeldUp && ++failures === threshold) {
      return `${path}: ${checked?.answer ?? `no answer within ${intervalMs} ms`}, ${threshold} times in a row`
    }
  }
}
