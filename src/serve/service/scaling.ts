// Changes the number of instances by the load. One timer, and only where there is a rule.

import { cpuBudget } from '../../cpu/cpu-budget.js'
import type { Instance } from './instance.js'
import type { ServeEvent } from '../contract/events.js'
import { createScalingRule, type Look, type ScalingSettings } from '../contract/scaling-rule.js'
import type { Timers } from './timers.js'
import type { Use } from '../contract/instance-messages.js'

export interface Scaled {
  wanted(): number
  /** Those that should serve. */
  readonly crew: Iterable<Instance>
  readonly timers: Timers
  scale(to: number): Promise<void>
  tell(event: ServeEvent): void
}

export interface Scaling {
  /** How busy they were at the last look; null before the first. */
  readonly busy: number | null
  /** Requests that were open in each instance then, on average. */
  readonly open: number | null
}

type Uses = Map<Instance, { at: number; use: Use }>

/** Null when there is no rule. */
export function startScaling(service: Scaled, settings: ScalingSettings | null): Scaling | null {
  if (settings === null) return null
  const rule = createScalingRule(settings, cpuBudget().cpus)
  const scaling = { busy: null as number | null, open: null as number | null }
  let before: Uses = new Map()
  const look = async () => {
    const uses = await usesOf(service.crew)
    const seen = compare(before, uses)
    before = uses.known
    if (seen) {
      scaling.busy = seen.busy
      scaling.open = seen.open
      const wanted = service.wanted()
      const next = rule.next({ wanted, ...seen })
      const found = describeLook(seen, settings)
      if (next !== wanted) {
        service.tell({ type: 'scaling', from: wanted, to: next, found })
        await service.scale(next).catch(() => {}) // told as lastProblem
      }
    }
    service.timers.after(settings.everyMs, () => void look())
  }
  void look()
  return scaling
}

/** Requests only where they count. */
function describeLook({ busy, open }: Omit<Look, 'wanted'>, { queue }: ScalingSettings): string {
  const requests = queue < Infinity ? `, with ${Math.round(open)} requests open in each` : ''
  return `they are busy ${Math.round(busy * 100)} % of the time${requests}`
}

async function usesOf(crew: Iterable<Instance>): Promise<{ known: Uses; blocked: number }> {
  const serving = [...crew].filter(({ state }) => state === 'serving')
  const known: Uses = new Map()
  const all = serving.map(async (instance) => {
    const use = await instance.use()
    if (use) known.set(instance, { at: performance.now(), use })
  })
  await Promise.all(all)
  return { known, blocked: serving.length - known.size }
}

/** Null when there is nothing to compare with. */
function compare(
  before: Uses,
  { known, blocked }: { known: Uses; blocked: number },
): Omit<Look, 'wanted'> | null {
  // One that does not answer is busy, with one CPU.
  const sum = { busy: blocked, cpus: blocked, count: blocked, open: 0 }
  for (const [instance, { at, use }] of known) {
    const last = before.get(instance)
    if (!last) continue
    const activeMs = use.activeMs - last.use.activeMs
    const idleMs = use.idleMs - last.use.idleMs
    sum.busy += activeMs / Math.max(1, activeMs + idleMs)
    sum.cpus += (use.cpuMs - last.use.cpuMs) / Math.max(1, at - last.at)
    sum.open += use.open
    sum.count++
  }
  if (sum.count === 0) return null
  // How many are open in one that does not answer nobody knows.
  const open = sum.open / Math.max(1, sum.count - blocked)
  return { busy: sum.busy / sum.count, open, cpus: sum.cpus }
}
