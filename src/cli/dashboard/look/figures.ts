// The figures of a service from two looks at it: all its instances together.

import type { InstanceLoad, ServiceStatus } from '../../../serve/contract/events.js'
import type { ProcessLimits } from '../../../cpu/process-limits.js'
import type { Figures } from './view.js'

/** What one look has found. */
export interface ServiceLook {
  /** Milliseconds, by a clock that nobody sets. */
  readonly at: number
  readonly status: ServiceStatus
  readonly limits: ProcessLimits
}

export function figuresOf(now: ServiceLook, before: ServiceLook | undefined): Figures {
  const loads = now.status.instances.flatMap(({ load }) => load ?? [])
  const sum = (of: (load: InstanceLoad) => number) =>
    loads.length === 0 ? null : loads.reduce((total, load) => total + of(load), 0)
  const most = (of: (load: InstanceLoad) => number | null) => largest(loads.map(of))
  const isServer = now.status.kind === 'server'
  return {
    perSecond: isServer ? sum(({ perSecond }) => perSecond) : null,
    errorsPerSecond: isServer && before ? errorsPerSecond(now, before) : null,
    p50: most(({ p50 }) => p50),
    p99: most(({ p99 }) => p99),
    loopDelay: most(({ loopDelay }) => loopDelay),
    cpu: sum(({ cpu }) => cpu),
    throttled: before ? throttledShare(now, before) : null,
    rss: sum(({ rss }) => rss),
  }
}

function largest(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : Math.max(...known)
}

/** Counters are those of an instance: one that has come since has counted from 0, and one that is gone is not known any more. */
function errorsPerSecond(now: ServiceLook, before: ServiceLook): number | null {
  const counted = new Map(before.status.instances.map(({ id, load }) => [id, load?.errors]))
  const seconds = (now.at - before.at) / 1000
  const isSameService = now.status.startedAt === before.status.startedAt
  if (seconds <= 0 || !isSameService) return null
  const more = now.status.instances.map(({ id, load }) => {
    const earlier = counted.has(id) ? counted.get(id) : 0
    return load === null || earlier === undefined ? 0 : Math.max(0, load.errors - earlier)
  })
  return more.reduce((sum, errors) => sum + errors, 0) / seconds
}

/** Null where there is no quota. */
function throttledShare(now: ServiceLook, before: ServiceLook): number | null {
  const [last, first] = [now.limits.throttling, before.limits.throttling]
  if (!last || !first) return null
  const periods = last.periods - first.periods
  return periods > 0 ? Math.max(0, (last.throttledPeriods - first.throttledPeriods) / periods) : 0
}
