// What is told of the instances of a service.

import type { InstanceLoad, InstanceStatus } from './events.js'
import type { Instance } from './instance.js'

export function instanceStatus(instance: Instance, load: InstanceLoad | null): InstanceStatus {
  const { id, pid, state, startedAt, readyAt } = instance
  return { id, pid, state, startedAt, readyAt, load }
}

export function countServing(instances: Iterable<Instance>): number {
  return [...instances].filter(({ state }) => state === 'serving').length
}
