// Events that are seen from one look to the next: of a service in the foreground, which writes no log; of the kernel, and of queues that are full.

import type { InstanceStatus, ServiceStatus } from '../../../serve/contract/events.js'
import type { ServiceLook } from './figures.js'
import type { NewEvent } from './event-list.js'
import type { AbsentRow, PoolRow } from './view.js'

/** More than a mishap: a share of the periods. */
const THROTTLED = 0.05

const since =
  (of: string, at: number) =>
  (kind: NewEvent['kind'], text: string): NewEvent => ({ at, kind, of, text, lastWords: [] })

/** Of a service that writes no log. `at`: milliseconds since 1970. */
export function changesOf(
  { status: now }: ServiceLook,
  { status: before }: ServiceLook,
  at: number,
): NewEvent[] {
  const tell = since(now.name, at)
  const more = (field: 'reloads' | 'crashes' | 'renewals') => now[field] - before[field]
  if (now.pid !== before.pid)
    return [tell('service', `process ${now.pid} has taken the place of ${before.pid}`)]
  return [
    ...instanceChanges(now.instances, before.instances).map((text) => tell('instance', text)),
    ...(more('crashes') > 0
      ? [tell('death', now.lastProblem ?? `${more('crashes')} instances ended unexpectedly`)]
      : []),
    ...(more('renewals') > 0 ? [tell('renewal', `${more('renewals')} replaced at a limit`)] : []),
    ...(more('reloads') > 0 ? [tell('reload', `reloaded ${now.instances.length} instances`)] : []),
    ...(now.wanted !== before.wanted
      ? [tell('change', `${now.wanted} instances from now on, not ${before.wanted}`)]
      : []),
  ]
}

function instanceChanges(now: readonly InstanceStatus[], before: readonly InstanceStatus[]): string[] {
  const earlier = new Map(before.map((instance) => [instance.id, instance]))
  const ids = new Set(now.map(({ id }) => id))
  const name = ({ id, pid }: InstanceStatus) => `instance ${id} (process ${pid})`
  return [
    ...now.flatMap((instance) => {
      if (instance.state === earlier.get(instance.id)?.state) return []
      return [`${name(instance)} is ${instance.state}`]
    }),
    ...before.filter(({ id }) => !ids.has(id)).map((instance) => `${name(instance)} has ended`),
  ]
}

/** When the kernel begins to freeze it, and when it ends that. */
export function throttlingChange(
  of: string,
  now: number | null,
  before: number | null,
  at: number,
): NewEvent[] {
  const [is, was] = [now ?? 0, before ?? 0].map((share) => share > THROTTLED)
  if (is === was) return []
  const text = is
    ? `the CPU quota freezes it in ${Math.round((now ?? 0) * 100)} % of its periods`
    : 'the CPU quota freezes it no more'
  return [since(of, at)('throttling', text)]
}

function keyOf({ pid, thread, name }: PoolRow): string {
  return `${pid} ${thread} ${name}`
}

/** A queue that stays full is told of so often. */
const PAUSE_MS = 60_000

interface Fullness {
  readonly refused: number
  readonly toldAt: number
}

/** Pools whose queues have turned calls away. */
export class FullQueues {
  #known = new Map<string, Fullness>()

  /** At each look; `at`: milliseconds since 1970. */
  changes(pools: readonly PoolRow[], at: number): NewEvent[] {
    const before = this.#known
    this.#known = new Map(
      pools.map((pool) => [
        keyOf(pool),
        before.get(keyOf(pool)) ?? { refused: pool.refused ?? 0, toldAt: -Infinity },
      ]),
    )
    return pools.flatMap((pool) => {
      const known = this.#known.get(keyOf(pool))!
      const more = (pool.refused ?? 0) - known.refused
      if (more <= 0 || at - known.toldAt < PAUSE_MS) return []
      this.#known.set(keyOf(pool), { refused: pool.refused!, toldAt: at })
      return [
        since(pool.name, at)(
          'queue',
          `the queue of this pool of process ${pool.pid} is full: ${more} calls were turned away`,
        ),
      ]
    })
  }
}

/** Of services that ran at the last look. */
export function endedServices(
  before: readonly string[],
  now: readonly ServiceStatus[],
  absent: readonly AbsentRow[],
  at: number,
): NewEvent[] {
  const gone = before.filter((of) => !now.some(({ name }) => name === of))
  return gone.map((of) => {
    const { state = 'ended', reason = null, lastWords = [] } = absent.find(({ name }) => name === of) ?? {}
    const kind = ['failed', 'killed'].includes(state) ? 'death' : 'service'
    return { at, kind, of, text: `the service: ${state}${reason === null ? '' : `, ${reason}`}`, lastWords }
  })
}
