// What is told of a service and its instances.

import type { InstanceLoad, InstanceStatus, ServiceState, ServiceStatus } from '../contract/events.js'
import type { Instance } from './instance.js'
import type { ScalingSettings } from '../contract/scaling-rule.js'
import type { Scaling } from './scaling.js'

interface Instances {
  /** Those that count. */
  readonly crew: ReadonlySet<Instance>
  readonly all: ReadonlySet<Instance>
  /** Of those that were asked. */
  readonly loads: ReadonlyMap<Instance, InstanceLoad | null>
}

export function serviceStatus(
  facts: Omit<ServiceStatus, 'version' | 'pid' | 'state' | 'instances'>,
  state: ServiceState,
  { crew, all, loads }: Instances,
): ServiceStatus {
  const isDegraded = state === 'serving' && countServing(crew) < facts.wanted
  return {
    ...{ version: 1, pid: process.pid, state: isDegraded ? 'degraded' : state, ...facts },
    instances: [...all].map((instance) => instanceStatus(instance, loads.get(instance) ?? null)),
  }
}

export function scalingStatus(
  settings: ScalingSettings | null,
  scaling: Scaling | null,
): ServiceStatus['scaling'] {
  return (
    settings && {
      min: settings.min,
      max: settings.max,
      busy: scaling?.busy ?? null,
      open: scaling?.open ?? null,
    }
  )
}

export async function loadsOf(all: Iterable<Instance>): Promise<Map<Instance, InstanceLoad | null>> {
  return new Map(await Promise.all([...all].map(async (one) => [one, await one.load()] as const)))
}

export function countServing(instances: Iterable<Instance>): number {
  return [...instances].filter(({ state }) => state === 'serving').length
}

function instanceStatus(instance: Instance, load: InstanceLoad | null): InstanceStatus {
  const { id, pid, state, startedAt, readyAt } = instance
  return { id, pid, state, startedAt, readyAt, load }
}

/** Those that are on the way to it may never get there. */
export function servingFirst(crew: Iterable<Instance>): Instance[] {
  return [...crew].sort((a, b) => Number(b.readyAt !== null) - Number(a.readyAt !== null))
}
