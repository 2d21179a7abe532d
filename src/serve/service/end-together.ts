// Ends all instances of a service, which closes its port, without a lost request.

import type { Instance } from '../primary/instance.js'

/** How long, and how often, it looks whether the connections that have come are with the instances. */
const HAND_OVER_MS = 2000
const LOOK_MS = 10

export async function endTogether(instances: readonly Instance[]): Promise<void> {
  await handedOver(instances)
  // The port closes with the last instance that leaves. Only then answers say that connections end: earlier, clients would
  // connect anew, and wait in a queue that is about to be thrown away.
  await Promise.all(instances.map((instance) => instance.leave()))
  await Promise.all(instances.map((instance) => instance.drain()))
}

/** Connections that wait in the primary when the port closes are thrown away by node:cluster. */
async function handedOver(instances: readonly Instance[]): Promise<void> {
  const end = Date.now() + HAND_OVER_MS
  let quiet = 0
  while (quiet < 2 && Date.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    quiet = instances.some(({ inFlight }) => inFlight > 0) ? 0 : quiet + 1
  }
}
