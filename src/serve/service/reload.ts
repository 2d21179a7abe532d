// A reload: instances are replaced one after the other, or several at a time, as long as the new ones live.

import type { Instance } from '../primary/instance.js'
import type { InstanceSet } from './instance-set.js'
import { servingFirst } from './resize.js'

/** @throws TW_ERR_INSTANCE_FAILED, TW_ERR_SERVICE_STOPPED (as rejections) */
export async function replaceAll(instances: InstanceSet, parallel = 1): Promise<void> {
  const old = [...instances.active]
  const fresh: Instance[] = []
  const assertAlive = async (rest: string) => {
    const dead = fresh.find(({ state }) => state === 'gone')
    if (dead) instances.fail(new Error(`it ended ${await dead.gone}, soon after it was ready`), rest)
  }
  for (let index = 0; index < old.length; index += parallel) {
    const rest = `${index} of ${old.length} instances were replaced; the others go on serving.`
    await assertAlive(rest)
    const some = old.slice(index, index + parallel)
    // All are waited for: one that fails must not leave others on their way.
    const ends = await Promise.allSettled(some.map((instance) => replaceOne(instances, instance, rest)))
    for (const end of ends) {
      if (end.status === 'rejected') throw end.reason
      if (end.value) fresh.push(end.value)
    }
  }
  await assertAlive('All were replaced, and are started again.')
  await startMissing(instances)
}

/**
 * Resolves with the new instance when the old one is gone; with null if the old one is not active any more. Where two may not run at once,
 * the old one goes first.
 *
 * @throws TW_ERR_INSTANCE_FAILED, TW_ERR_SERVICE_STOPPED (as rejections)
 */
export async function replaceOne(
  instances: InstanceSet,
  old: Instance,
  rest: string,
): Promise<Instance | null> {
  if (!instances.active.has(old)) return null // it ended by itself, and its replacement is new
  if (instances.isExclusive) await instances.retire(old)
  const fresh = await instances.launchReady(rest, old)
  instances.add(fresh)
  if (instances.isExclusive) return fresh
  // If the old one died meanwhile, it has got a replacement besides this one.
  const others = [...instances.active].filter((instance) => instance !== fresh)
  const surplus = instances.active.has(old) ? [old] : servingFirst(others).slice(instances.wanted - 1)
  await Promise.all(surplus.map((instance) => instances.retire(instance)))
  return fresh
}

/** Does not wait for the time at which those that died would be replaced. */
async function startMissing(instances: InstanceSet): Promise<void> {
  const { active, wanted } = instances
  for (let missing = wanted - active.size; missing > 0; missing--) {
    const instance = await instances.launchReady(`${active.size} of ${wanted} instances run.`)
    instances.add(instance)
    // One that was due meanwhile may have been started: the one that serves stays.
    await Promise.all(
      servingFirst(active)
        .slice(wanted)
        .map((one) => instances.retire(one)),
    )
  }
}
