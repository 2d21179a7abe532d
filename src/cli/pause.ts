// Waits for a time, or less, when the signal aborts.

import { setTimeout } from 'node:timers/promises'

export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => {})
}
