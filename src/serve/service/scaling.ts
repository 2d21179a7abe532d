// Changes the number of instances by the load. One timer, and only where `min` or `max` is given.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import type { ServeEvent } from '../contract/events.js'
import type { InstanceUsage } from '../contract/instance-messages.js'
import type { ScalingSettings } from '../contract/scaling-options.js'
import { createScalingRule, type LoadSeen } from './scaling-rule.js'
import type { Instance } from '../primary/instance.js'

export interface ScalableService {
  readonly instances: { readonly wanted: number; readonly active: Iterable<Instance> }
  scale(to: number): Promise<void>
  emit(event: ServeEvent): void
  after(delayMs: number, action: () => void): void
}

export interface Scaling {
  /** The share of time in which the instances were busy at the last look, on average; null before the first. */
  readonly busy: number | null
  /** Requests that were open in each instance then, on average. */
  readonly open: number | null
}

type Usages = Map<Instance, { at: number; usage: InstanceUsage }>

export function startScaling(settings: ScalingSettings, service: ScalableService): Scaling {
  const { instances } = service
  const rule = createScalingRule(settings, cpuBudget().cpus)
  const scaling = { busy: null as number | null, open: null as number | null }
  let before: Usages = new Map()
  const look = async () => {
    const usages = await usagesOf(instances.active)
    const seen = compare(before, usages)
    before = usages.known
    if (seen) {
      scaling.busy = seen.busy
      scaling.open = seen.open
      const { wanted } = instances
      const next = rule.next({ wanted, ...seen })
      const found = describeLook(seen, settings)
      if (next !== wanted) {
        service.emit({ type: 'scaling', from: wanted, to: next, found })
        await service.scale(next).catch(() => {}) // it is the lastProblem of the status
      }
    }
    service.after(settings.everyMs, () => void look())
  }
  void look()
  return scaling
}

/** Requests only where they count. */
function describeLook({ busy, open }: Omit<LoadSeen, 'wanted'>, { queue }: ScalingSettings): string {
  const requests = queue < Infinity ? `, with ${Math.round(open)} requests open in each` : ''
  return `they are busy ${Math.round(busy * 100)} % of the time${requests}`
}

async function usagesOf(active: Iterable<Instance>): Promise<{ known: Usages; blocked: number }> {
  const serving = [...active].filter(({ state }) => state === 'serving')
  const known: Usages = new Map()
  const all = serving.map(async (instance) => {
    const usage = await instance.usage()
    if (usage) known.set(instance, { at: performance.now(), usage })
  })
  await Promise.all(all)
  return { known, blocked: serving.length - known.size }
}

/** Null when there is nothing to compare with. */
function compare(
  before: Usages,
  { known, blocked }: { known: Usages; blocked: number },
): Omit<LoadSeen, 'wanted'> | null {
  // One that does not answer is busy, with one CPU.
  const sum = { busy: blocked, cpus: blocked, count: blocked, open: 0 }
  for (const [instance, { at, usage }] of known) {
    const last = before.get(instance)
    if (!last) continue
    const activeMs = usage.activeMs - last.usage.activeMs
    const idleMs = usage.idleMs - last.usage.idleMs
    sum.busy += activeMs / Math.max(1, activeMs + idleMs)
    sum.cpus += (usage.cpuMs - last.usage.cpuMs) / Math.max(1, at - last.at)
    sum.open += usage.open
    sum.count++
  }
  if (sum.count === 0) return null
  // How many are open in one that does not answer nobody knows.
  const open = sum.open / Math.max(1, sum.count - blocked)
  return { busy: sum.busy / sum.count, open, cpus: sum.cpus }
}
