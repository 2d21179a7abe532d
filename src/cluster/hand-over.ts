// Before the port closes: the connections that have come must be with the instances.

import type { Instance } from './instance.js'

/** How long, and how often, it looks whether the connections that have come are with the instances. */
const HAND_OVER_MS = 2000
const LOOK_MS = 10

/** Connections that wait in the primary when the port closes are thrown away by node:cluster. */
export async function handedOver(instances: readonly Instance[]): Promise<void> {
  const end = Date.now() + HAND_OVER_MS
  let quiet = 0
  while (quiet < 2 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    quiet = instances.some(({ onTheWay }) => onTheWay > 0) ? 0 : quiet + 1
  }
}
