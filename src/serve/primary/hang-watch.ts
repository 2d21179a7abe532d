// Whether the event loop of an instance hangs: it is asked again and again, and must reply within a limit.

import type { InstanceChannel } from './instance-channel.js'

/** Resolves when the instance does not reply in time, also because it is gone. */
export async function untilHang(channel: InstanceChannel, limitMs: number): Promise<void> {
  while (await replies(channel, limitMs)) {
    // Twice within the limit: a hang is found after 1 to 1.5 times the limit.
    await new Promise((resolve) => setTimeout(resolve, limitMs / 2).unref())
  }
}

async function replies(channel: InstanceChannel, limitMs: number): Promise<boolean> {
  for (;;) {
    const askedAt = performance.now()
    if (await channel.request({ threadwise: 'ping' }, 'pong', limitMs)) return true
    // A limit that ends much later than due says that this process was held up, and perhaps the instance with it: ask again.
    const wasHeldUp = performance.now() - askedAt >= limitMs * 1.25
    if (channel.isClosed || !wasHeldUp) return false
  }
}
