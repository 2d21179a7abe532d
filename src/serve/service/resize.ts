// Changes the number of instances, one after the other while it grows.

import type { Instance } from '../primary/instance.js'
import type { InstanceSet } from './instance-set.js'

/**
 * Resolves when the number is reached and those that are too many are gone. Where a new instance does not become ready, the number is
 * what was reached.
 *
 * @throws TW_ERR_INSTANCE_FAILED, TW_ERR_SERVICE_STOPPED (as rejections)
 */
export async function resize(instances: InstanceSet, wanted: number): Promise<void> {
  while (instances.wanted < wanted) {
    const instance = await instances.launchReady(`There are ${instances.wanted} instances.`)
    instances.wanted++
    instances.add(instance)
  }
  instances.wanted = wanted
  const surplus = servingFirst(instances.active).slice(wanted)
  await Promise.all(surplus.map((instance) => instances.retire(instance)))
}

/** Those that are on the way to it may never get there. */
export function servingFirst(instances: Iterable<Instance>): Instance[] {
  return [...instances].sort((a, b) => Number(b.readyAt !== null) - Number(a.readyAt !== null))
}
