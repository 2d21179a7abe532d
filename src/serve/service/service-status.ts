// The status of a service and its instances.

import type { InstanceLoad, InstanceStatus, ServiceState, ServiceStatus } from '../contract/events.js'
import type { ScalingSettings } from '../contract/scaling-options.js'
import type { Instance } from '../primary/instance.js'
import type { InstanceSet } from './instance-set.js'
import type { Scaling } from './scaling.js'
import type { ServiceHistory } from './service-history.js'

export interface StatusSources {
  readonly name: string
  readonly file: string
  readonly kind: ServiceStatus['kind']
  readonly state: ServiceState
  readonly instances: InstanceSet
  readonly history: ServiceHistory
  readonly scaling: ServiceStatus['scaling']
}

export type Loads = ReadonlyMap<Instance, InstanceLoad | null>

/** `loads` has the instances that were asked. */
export function serviceStatus(sources: StatusSources, loads: Loads): ServiceStatus {
  const { name, file, kind, instances, scaling } = sources
  const { wanted } = instances
  const { startedAt, reloads, crashes, renewals, lastProblem } = sources.history
  return {
    version: 1,
    pid: process.pid,
    state: stateOf(sources),
    name,
    file,
    kind,
    wanted,
    ports: instances.ports,
    startedAt,
    reloads,
    crashes,
    renewals,
    scaling,
    lastProblem,
    instances: [...instances.all].map((instance) => instanceStatus(instance, loads.get(instance) ?? null)),
  }
}

function stateOf({ state, kind, instances, history }: StatusSources): ServiceState {
  const isPart = instances.servingCount > 0 && instances.servingCount < instances.wanted
  if ((state === 'serving' || state === 'starting') && history.isFlapping && !isPart) return 'flapping'
  if (state !== 'serving') return state
  if (instances.servingCount < instances.wanted) return 'degraded'
  return kind === 'job' && instances.wanted === 0 ? 'waiting' : 'serving'
}

export function scalingStatus(
  settings: ScalingSettings | null,
  scaling: Scaling | null,
): ServiceStatus['scaling'] {
  if (settings === null) return null
  const { min, max } = settings
  return { min, max, busy: scaling?.busy ?? null, open: scaling?.open ?? null }
}

export async function instanceLoads(instances: Iterable<Instance>): Promise<Loads> {
  return new Map(await Promise.all([...instances].map(async (one) => [one, await one.load()] as const)))
}

function instanceStatus(instance: Instance, load: InstanceLoad | null): InstanceStatus {
  const { id, pid, state, startedAt, readyAt } = instance
  return { id, pid, state, startedAt, readyAt, load }
}
