// Tells a worker that nobody waits for a call any more.

import { describeFields, encodeThrown } from '../protocol/serialize-error.js'
import type { Channel } from './pool-worker.js'

export function sendCancel(channel: Channel, id: number, thrown: unknown): void {
  const reason = encodeThrown(thrown)
  for (const form of [reason, describeFields(reason)]) {
    try {
      return channel.send({ type: 'cancel', id, reason: form })
    } catch {
      // Not every channel carries what structured clone does. At worst the task is not told.
    }
  }
}
